package template

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

const noAsync = "async functions are not available"

// definition rewrites a function or a class.
func (r *rewriter) definition(e ast.Expression) {
	switch e := e.(type) {
	case *ast.FunctionLiteral:
		if e.Async {
			r.refuse(e.Function, noAsync)
		}
		r.function(e.ParameterList, func() { r.body(e.Body) })
	case *ast.ArrowFunctionLiteral:
		if e.Async {
			r.refuse(e.Start, noAsync)
		}
		r.function(e.ParameterList, func() { e.Body = r.arrowBody(e.Body) })
	case *ast.ClassLiteral:
		r.class(e)
	}
}

// function rewrites a function. Its body has its own costs, and making it is a cost of the code around it.
func (r *rewriter) function(parameters *ast.ParameterList, body func()) {
	outer := r.cost
	r.cost = costRound
	r.bindings(parameters.List)
	parameters.Rest = r.expr(parameters.Rest)
	body()
	r.cost = outer + costFunction
}

// body rewrites the body of a function and adds the tick at its beginning, after directives.
func (r *rewriter) body(b *ast.BlockStatement) {
	r.stmts(b.List)
	at := 0
	for at < len(b.List) && isDirective(b.List[at]) {
		at++
	}
	tick := &ast.ExpressionStatement{Expression: r.tick(b.LeftBrace, r.cost)}
	list := make([]ast.Statement, 0, len(b.List)+1)
	b.List = append(append(append(list, b.List[:at]...), tick), b.List[at:]...)
}

func isDirective(s ast.Statement) bool {
	statement, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = statement.Expression.(*ast.StringLiteral)
	return ok
}

func (r *rewriter) arrowBody(b ast.ConciseBody) ast.ConciseBody {
	switch b := b.(type) {
	case *ast.BlockStatement:
		r.body(b)
	case *ast.ExpressionBody:
		e := r.expr(b.Expression)
		b.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{r.tick(e.Idx0(), r.cost), e}}
	}
	return b
}

func (r *rewriter) class(e *ast.ClassLiteral) {
	r.cost += costClass
	e.SuperClass = r.expr(e.SuperClass)
	for _, element := range e.Body {
		switch element := element.(type) {
		case *ast.FieldDefinition:
			if element.Computed {
				element.Key = r.key(element.Key)
			}
			element.Initializer = r.expr(element.Initializer)
		case *ast.MethodDefinition:
			if element.Computed {
				element.Key = r.key(element.Key)
			}
			r.definition(element.Body)
		case *ast.ClassStaticBlock:
			r.stmts(element.Block.List)
		}
	}
}

// round rewrites the body of a loop and adds the tick at its beginning.
func (r *rewriter) round(at file.Idx, body ast.Statement) ast.Statement {
	outer := r.cost
	r.cost = costRound
	r.stmt(body)
	tick := &ast.ExpressionStatement{Expression: r.tick(at, r.cost)}
	r.cost = outer
	return &ast.BlockStatement{LeftBrace: at, List: []ast.Statement{tick, body}, RightBrace: body.Idx1()}
}

func (r *rewriter) stmts(list []ast.Statement) {
	for _, s := range list {
		r.stmt(s)
	}
}

// stmt rewrites a statement in place.
func (r *rewriter) stmt(s ast.Statement) {
	switch s := s.(type) {
	case *ast.BlockStatement:
		r.stmts(s.List)
	case *ast.ExpressionStatement:
		s.Expression = r.expr(s.Expression)
	case *ast.VariableStatement:
		r.bindings(s.List)
	case *ast.LexicalDeclaration:
		r.bindings(s.List)
	case *ast.ReturnStatement:
		s.Argument = r.expr(s.Argument)
	case *ast.ThrowStatement:
		s.Argument = r.expr(s.Argument)
	case *ast.IfStatement:
		s.Test = r.expr(s.Test)
		r.stmt(s.Consequent)
		if s.Alternate != nil {
			r.stmt(s.Alternate)
		}
	case *ast.LabelledStatement:
		r.stmt(s.Statement)
	case *ast.WithStatement: // its object could stand before the helpers
		r.refuse(s.With, "with statements are not available")
	case *ast.FunctionDeclaration:
		r.definition(s.Function)
	case *ast.ClassDeclaration:
		r.class(s.Class)
	case *ast.TryStatement:
		r.try(s)
	case *ast.SwitchStatement:
		r.choice(s)
	default:
		r.loop(s)
	}
}

func (r *rewriter) try(s *ast.TryStatement) {
	r.stmt(s.Body)
	if s.Catch != nil {
		if s.Catch.Parameter != nil {
			r.expr(s.Catch.Parameter)
		}
		r.stmt(s.Catch.Body)
	}
	if s.Finally != nil {
		r.stmt(s.Finally)
	}
}

func (r *rewriter) choice(s *ast.SwitchStatement) {
	s.Discriminant = r.expr(s.Discriminant)
	for _, c := range s.Body {
		c.Test = r.expr(c.Test)
		r.stmts(c.Consequent)
	}
}

// loop rewrites loops. It leaves statements without parts as they are.
func (r *rewriter) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.WhileStatement:
		s.Test = r.expr(s.Test)
		s.Body = r.round(s.While, s.Body)
	case *ast.DoWhileStatement:
		s.Test = r.expr(s.Test)
		s.Body = r.round(s.Do, s.Body)
	case *ast.ForStatement:
		r.initializer(s.Initializer)
		s.Test, s.Update = r.expr(s.Test), r.expr(s.Update)
		s.Body = r.round(s.For, s.Body)
	case *ast.ForInStatement:
		r.into(s.Into)
		s.Source = r.expr(s.Source)
		s.Body = r.round(s.For, s.Body)
	case *ast.ForOfStatement:
		r.into(s.Into)
		s.Source = r.expr(s.Source)
		s.Body = r.round(s.For, s.Body)
	}
}

func (r *rewriter) initializer(i ast.ForLoopInitializer) {
	switch i := i.(type) {
	case *ast.ForLoopInitializerExpression:
		i.Expression = r.expr(i.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		r.bindings(i.List)
	case *ast.ForLoopInitializerLexicalDecl:
		r.bindings(i.LexicalDeclaration.List)
	}
}

func (r *rewriter) into(i ast.ForInto) {
	switch i := i.(type) {
	case *ast.ForIntoVar:
		r.binding(i.Binding)
	case *ast.ForDeclaration:
		r.expr(i.Target)
	case *ast.ForIntoExpression:
		i.Expression = r.expr(i.Expression)
	}
}
