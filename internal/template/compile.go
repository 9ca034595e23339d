package template

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// maxCode is the largest length in bytes of code to compile. It limits how deep the
// recursion of parser and compiler goes, and how long they take. Neither can be interrupted.
const maxCode = 64 << 10

// program is compiled code. It belongs to no runtime, so it may be shared.
type program struct {
	code   *goja.Program
	guards []string // names in the code that have guards
	sites  []site
	purity purity
	err    error // a *syntaxError; then everything else is empty
}

// site is a place where a property of a value that may be null is read.
type site struct {
	line, column int
	of           string // the plain reference, or null
	property     string // empty if it is computed
}

// syntaxError says what is wrong with code, where, and shows the line (language T27).
type syntaxError struct{ message string }

func (e *syntaxError) Error() string { return "SyntaxError: " + e.message }

// compileExpression compiles the code between ${ and }. The program returns a function that
// evaluates it with the parameters as this. The code must be a single expression. To make sure of that, it is parsed
// inside a template literal, where JavaScript has expressions in the same brackets.
func compileExpression(code string) *program {
	source := "`${" + code + "}`"
	parsed, err := parse(source)
	if err != nil {
		return &program{err: describeExpression(source, err)}
	}
	expression, ok := onlyExpression(parsed, len(source))
	if !ok {
		return &program{err: &syntaxError{"<expression>: not one expression"}}
	}
	purity := purityOf(expression)
	r := &rewriter{simple: isSimple(code), file: parsed.File}
	function := evaluation(r.expr(expression))
	parsed.Body = []ast.Statement{&ast.ExpressionStatement{Expression: function}}
	parsed.DeclarationList = nil
	p := compileRewritten(parsed, r)
	if p.err != nil {
		return &program{err: describeExpression(source, p.err)}
	}
	p.purity = purity
	return p
}

func parse(source string) (*ast.Program, error) {
	if len(source) > maxCode {
		return nil, fmt.Errorf("the code is longer than %d bytes", maxCode)
	}
	// Source maps would be read from a file of the host.
	return parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps)
}

func compileRewritten(parsed *ast.Program, r *rewriter) *program {
	if !r.simple {
		r.name("join") // also makes the text of a list
	}
	if r.err != nil {
		return &program{err: r.err}
	}
	code, err := goja.CompileAST(parsed, false)
	if err != nil {
		return &program{err: err}
	}
	return &program{code: code, guards: r.guards, sites: r.sites}
}

// onlyExpression returns the expression of a program that consists of a template literal with nothing else in it.
func onlyExpression(parsed *ast.Program, length int) (ast.Expression, bool) {
	if len(parsed.Body) != 1 {
		return nil, false
	}
	statement, ok := parsed.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, false
	}
	literal, ok := statement.Expression.(*ast.TemplateLiteral)
	if !ok || literal.Tag != nil || len(literal.Expressions) != 1 || literal.CloseQuote != file.Idx(length) {
		return nil, false
	}
	for _, element := range literal.Elements {
		if element.Literal != "" {
			return nil, false
		}
	}
	return literal.Expressions[0], true
}

// evaluation is function() { with (this) { return expression } } (language T21).
func evaluation(expression ast.Expression) ast.Expression {
	at := file.Idx(1)
	return &ast.FunctionLiteral{
		Function:      at,
		ParameterList: &ast.ParameterList{Opening: at, Closing: at},
		Body: &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{
			&ast.WithStatement{With: at, Object: &ast.ThisExpression{Idx: at}, Body: &ast.BlockStatement{
				LeftBrace: at, RightBrace: at, List: []ast.Statement{
					&ast.ReturnStatement{Return: at, Argument: expression},
				},
			}},
		}},
	}
}

// describeExpression returns an error of the parser or compiler as text, with the line of the expression
// and a mark below the place.
func describeExpression(source string, err error) error {
	position, message := problem(err)
	message = shortened(message)
	if position.Line < 1 {
		return &syntaxError{"<expression>: " + message}
	}
	lines := strings.Split(source, "\n")
	lines[0] = lines[0][1:]
	lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], "`")
	if position.Line == 1 {
		position.Column--
	}
	position.Column = max(position.Column, 1)
	text := fmt.Sprintf("<expression>:%d:%d %s", position.Line, position.Column, message)
	if position.Line <= len(lines) {
		text += marked(lines[position.Line-1], position.Column)
	}
	return &syntaxError{text}
}

// marked shows a part of a line that is not too long, and below it a mark under a column.
func marked(line string, column int) string {
	const before, after = 60, 40
	runes := []rune(line)
	column = min(column, len(runes)+1)
	from := max(0, column-1-before)
	to := min(len(runes), column-1+after)
	return "\n" + string(runes[from:to]) + "\n" + strings.Repeat(" ", column-1-from) + "^"
}

// problem returns the place and the text of what is wrong.
func problem(err error) (file.Position, string) {
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return list[0].Position, list[0].Message
	}
	if compiler, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok {
		if compiler.File == nil {
			return file.Position{}, compiler.Message
		}
		return compiler.File.Position(compiler.Offset), compiler.Message
	}
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return refused.position, refused.message
	}
	return file.Position{}, err.Error()
}
