package template

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// Names by which rewritten code calls its helpers. They are properties of the object whose
// properties are the variables of the code. They cannot be written in code.
const (
	helperResult = "\x00result" // checks the size of a value and returns it
	helperTick   = "\x00tick"   // is called in each round of a loop and in each call of a function
	helperSpread = "\x00spread" // checks a value that is spread, and returns it
	helperKey    = "\x00key"    // turns a value into a key, and puts the guards for that key in place
	helperLength = "\x00length" // is x.length()
)

// Estimates of the memory that code takes, in bytes.
const (
	costRound    = 128
	costObject   = 256
	costList     = 640
	costFunction = 704
	costClass    = 2048
	costItem     = 32
	costCode     = 64 // a byte of compiled code
)

// rewriter changes parsed code so that it stays within limits while it runs, and so that it can
// use s.length() (language T20):
//
//   - a value that can become a large text or list goes through a helper that checks its size;
//   - loops and functions announce each round and call, with an estimate of the memory that it takes;
//   - computed keys go through a helper, as dangerous methods are guarded
//     only in runtimes whose code names them (see guard.go);
//   - what an expression does not need and what cannot be limited is refused.
type rewriter struct {
	simple bool // the code cannot repeat anything, so intermediate sizes need no check
	file   *file.File

	guards []string
	sites  []site
	err    error
	cost   int // of the function or loop that is being rewritten
}

// refusedError says that code uses something that is not available.
type refusedError struct {
	position file.Position
	message  string
}

func (e *refusedError) Error() string { return e.message }

// isSimple reports whether code certainly has no loop, function or assignment, and so
// few additions that its result cannot be much larger than its operands.
func isSimple(code string) bool {
	const maxAdditions = 8
	if strings.ContainsAny(code, "{`") || strings.Contains(code, "=>") || strings.Count(code, "+") > maxAdditions {
		return false
	}
	for i := range len(code) {
		if code[i] != '=' {
			continue
		}
		comparison := i > 0 && strings.IndexByte("=!<>", code[i-1]) >= 0 || i+1 < len(code) && code[i+1] == '='
		if !comparison {
			return false
		}
	}
	return true
}

func (r *rewriter) position(at file.Idx) file.Position {
	return r.file.Position(int(at) - r.file.Base())
}

func (r *rewriter) refuse(at file.Idx, message string) {
	if r.err == nil {
		r.err = &refusedError{r.position(at), message}
	}
}

// name notes an identifier, or a text that may become one.
func (r *rewriter) name(name unistring.String) {
	text := string(name)
	if guardFor(text) != nil && !slices.Contains(r.guards, text) {
		r.guards = append(r.guards, text)
	}
}

// reads notes that a property of left is read in a place.
func (r *rewriter) reads(left ast.Expression, property string, at file.Idx) {
	of, ok := plainText(left)
	if !ok {
		return
	}
	p := r.position(at)
	r.sites = append(r.sites, site{p.Line, p.Column, of, property})
}

// plainText returns an expression as a plain reference, or as null. It is empty for other expressions.
func plainText(e ast.Expression) (string, bool) {
	switch e := e.(type) {
	case *ast.NullLiteral:
		return "null", true
	case *ast.ThisExpression:
		return "this", true
	case *ast.Identifier:
		return string(e.Name), true
	case *ast.DotExpression:
		left, ok := plainText(e.Left)
		return left + "." + string(e.Identifier.Name), ok && left != "null"
	case *ast.BracketExpression:
		left, ok := plainText(e.Left)
		key, isKey := plainKey(e.Member)
		return left + "[" + key + "]", ok && isKey && left != "null"
	default:
		return "", false
	}
}

func plainKey(e ast.Expression) (string, bool) {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return `"` + e.Value.String() + `"`, true
	case *ast.NumberLiteral:
		return e.Literal, true
	default:
		return "", false
	}
}

func call(helper string, at file.Idx, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{
		Callee:       &ast.Identifier{Name: unistring.String(helper), Idx: at},
		ArgumentList: args, LeftParenthesis: at, RightParenthesis: at,
	}
}

// checked passes a value through the helper that checks its size.
func (r *rewriter) checked(e ast.Expression) ast.Expression {
	if r.simple {
		return e
	}
	return call(helperResult, e.Idx0(), e)
}

// spread passes a value through the helper that checks what is spread.
func (r *rewriter) spread(e ast.Expression) ast.Expression { return call(helperSpread, e.Idx0(), e) }

// tick returns the call for each round of a loop and each call of a function.
func (r *rewriter) tick(at file.Idx, cost int) ast.Expression {
	return call(helperTick, at, &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(cost)})
}

// key passes a computed key through its helper.
func (r *rewriter) key(e ast.Expression) ast.Expression {
	switch literal := e.(type) {
	case *ast.StringLiteral:
		r.name(literal.Value)
		return e
	case *ast.NumberLiteral:
		return r.expr(e)
	default:
		return call(helperKey, e.Idx0(), r.expr(e))
	}
}

// expr rewrites an expression, which may be nil.
func (r *rewriter) expr(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Identifier:
		r.name(e.Name)
	case *ast.StringLiteral:
		r.name(e.Value)
	case *ast.NumberLiteral:
		if _, ok := e.Value.(*big.Int); ok {
			r.refuse(e.Idx, "BigInt is not available")
		}
	case *ast.BinaryExpression:
		e.Left, e.Right = r.expr(e.Left), r.expr(e.Right)
		if e.Operator == token.PLUS {
			return r.checked(e)
		}
	case *ast.AssignExpression:
		return r.assignment(e)
	case *ast.UnaryExpression:
		if chain, ok := e.Operand.(*ast.OptionalChain); ok && e.Operator == token.DELETE {
			chain.Expression = r.links(chain.Expression)
			return e
		}
		e.Operand = r.expr(e.Operand)
	case *ast.ConditionalExpression:
		e.Test, e.Consequent, e.Alternate = r.expr(e.Test), r.expr(e.Consequent), r.expr(e.Alternate)
	case *ast.SequenceExpression:
		r.exprs(e.Sequence)
	case *ast.YieldExpression:
		e.Argument = r.expr(e.Argument)
	case *ast.AwaitExpression:
		r.refuse(e.Await, noAsync)
	case *ast.DotExpression, *ast.PrivateDotExpression, *ast.BracketExpression, *ast.CallExpression, *ast.NewExpression,
		*ast.OptionalChain, *ast.Optional:
		return r.access(e)
	case *ast.TemplateLiteral:
		return r.template(e)
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		r.definition(e)
	default:
		r.composite(e)
	}
	return e
}

func (r *rewriter) exprs(list []ast.Expression) {
	for i, e := range list {
		list[i] = r.expr(e)
	}
}

func (r *rewriter) assignment(e *ast.AssignExpression) ast.Expression {
	e.Left, e.Right = r.expr(e.Left), r.expr(e.Right)
	switch e.Left.(type) {
	case *ast.ArrayPattern, *ast.ObjectPattern:
		e.Right = r.spread(e.Right)
	}
	if e.Operator == token.PLUS {
		return r.checked(e)
	}
	return e
}

func (r *rewriter) template(e *ast.TemplateLiteral) ast.Expression {
	if e.Tag != nil {
		e.Tag = r.callee(e.Tag)
	}
	r.exprs(e.Expressions)
	return r.checked(e)
}

// composite rewrites literals and patterns. It leaves expressions without parts as they are.
func (r *rewriter) composite(e ast.Expression) {
	switch e := e.(type) {
	case *ast.ArrayLiteral:
		r.cost += costList + costItem*len(e.Value)
		r.exprs(e.Value)
	case *ast.ObjectLiteral:
		r.cost += costObject + costItem*len(e.Value)
		r.properties(e.Value)
	case *ast.RegExpLiteral:
		r.cost += costList
	case *ast.SpreadElement:
		e.Expression = r.spread(r.expr(e.Expression))
	case *ast.ArrayPattern:
		r.exprs(e.Elements)
		e.Rest = r.expr(e.Rest)
	case *ast.ObjectPattern:
		r.properties(e.Properties)
		e.Rest = r.expr(e.Rest)
	case *ast.Binding:
		r.binding(e)
	}
}

func (r *rewriter) properties(list []ast.Property) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			r.name(p.Name.Name)
			p.Initializer = r.expr(p.Initializer)
		case *ast.PropertyKeyed:
			if p.Computed {
				p.Key = r.key(p.Key)
			} else {
				r.expr(p.Key)
			}
			p.Value = r.expr(p.Value)
		case *ast.SpreadElement:
			p.Expression = r.spread(r.expr(p.Expression))
		}
	}
}

// binding rewrites a variable, or an element of a pattern, with its first or default value.
func (r *rewriter) binding(b *ast.Binding) {
	if target, ok := r.expr(b.Target).(ast.BindingTarget); ok {
		b.Target = target
	}
	b.Initializer = r.expr(b.Initializer)
	switch b.Target.(type) {
	case *ast.ArrayPattern, *ast.ObjectPattern:
		if b.Initializer != nil {
			b.Initializer = r.spread(b.Initializer)
		}
	}
}

func (r *rewriter) bindings(list []*ast.Binding) {
	for _, b := range list {
		r.binding(b)
	}
}
