package template

import "github.com/dop251/goja/ast"

// access rewrites reading of properties and calls.
func (r *rewriter) access(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case *ast.DotExpression:
		r.name(e.Identifier.Name)
		r.reads(e.Left, e.Identifier.Name.String(), e.Identifier.Idx)
		e.Left = r.expr(e.Left)
	case *ast.PrivateDotExpression:
		e.Left = r.expr(e.Left)
	case *ast.BracketExpression:
		property := ""
		if literal, ok := e.Member.(*ast.StringLiteral); ok {
			property = literal.Value.String()
		}
		r.reads(e.Left, property, e.LeftBracket)
		e.Left = r.expr(e.Left)
		e.Member = r.key(e.Member)
	case *ast.CallExpression:
		return r.call(e)
	case *ast.NewExpression:
		e.Callee = r.expr(e.Callee)
		r.exprs(e.ArgumentList)
		return r.checked(e)
	case *ast.OptionalChain:
		e.Expression = r.links(e.Expression)
		return r.checked(e)
	case *ast.Optional:
		e.Expression = r.expr(e.Expression)
	}
	return e
}

func (r *rewriter) call(e *ast.CallExpression) ast.Expression {
	if dot, ok := e.Callee.(*ast.DotExpression); ok && dot.Identifier.Name == "length" && len(e.ArgumentList) == 0 {
		if _, super := dot.Left.(*ast.SuperExpression); !super {
			return call(helperLength, dot.Idx0(), r.expr(dot.Left))
		}
	}
	e.Callee = r.callee(e.Callee)
	r.exprs(e.ArgumentList)
	return r.checked(e)
}

// callee rewrites the callee of a call. A property stays a property, as the call passes its object as this.
func (r *rewriter) callee(e ast.Expression) ast.Expression {
	if chain, ok := e.(*ast.OptionalChain); ok {
		chain.Expression = r.links(chain.Expression)
		return chain
	}
	return r.expr(e)
}

// links rewrites the links of an optional chain, a?.b().c. Nothing may be inserted between them.
func (r *rewriter) links(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case *ast.Optional:
		e.Expression = r.links(e.Expression)
	case *ast.DotExpression:
		r.name(e.Identifier.Name)
		e.Left = r.links(e.Left)
	case *ast.PrivateDotExpression:
		e.Left = r.links(e.Left)
	case *ast.BracketExpression:
		e.Left = r.links(e.Left)
		e.Member = r.key(e.Member)
	case *ast.CallExpression:
		e.Callee = r.links(e.Callee)
		r.exprs(e.ArgumentList)
	default:
		return r.expr(e)
	}
	return e
}
