package template

import (
	"math/big"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Loading moment takes a millisecond, and exports that use it are evaluated again for each task that
// sees them (language T7). Nearly all expressions that use it are pure. Their
// environment is used again, and the results of stable ones are kept (see reuse.go).

// purity says what is known about an expression.
type purity struct {
	// pure is set if the expression leaves no trace in its environment, apart from caches. It consists of literals,
	// operators, plain references to parameters, calls of moment, and calls of methods that are known
	// to change at most the value that they are called on.
	pure bool
	// stable is set if the result only depends on the references and the time zone, provided that the
	// references are texts, numbers or booleans.
	stable bool
	// moment is set if the expression calls moment.
	moment bool
	// references are the plain references in the expression.
	references []string
}

func purityOf(e ast.Expression) purity {
	p := purity{stable: true}
	p.pure = p.value(e)
	return p
}

// value visits an expression and reports whether it is pure.
func (p *purity) value(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.NumberLiteral:
		_, large := e.Value.(*big.Int)
		return !large
	case *ast.BinaryExpression:
		return e.Operator != token.IN && e.Operator != token.INSTANCEOF && p.value(e.Left) && p.value(e.Right)
	case *ast.UnaryExpression:
		return (e.Operator == token.MINUS || e.Operator == token.PLUS || e.Operator == token.NOT) && p.value(e.Operand)
	case *ast.ConditionalExpression:
		return p.value(e.Test) && p.value(e.Consequent) && p.value(e.Alternate)
	case *ast.ObjectLiteral:
		return p.object(e)
	case *ast.CallExpression:
		return p.call(e)
	default:
		return p.reference(e)
	}
}

func (p *purity) values(list []ast.Expression) bool {
	for _, e := range list {
		if !p.value(e) {
			return false
		}
	}
	return true
}

func (p *purity) object(e *ast.ObjectLiteral) bool {
	for _, property := range e.Value {
		keyed, ok := property.(*ast.PropertyKeyed)
		if !ok || keyed.Computed || keyed.Kind != ast.PropertyKindValue || !p.value(keyed.Value) {
			return false
		}
	}
	return true
}

func (p *purity) reference(e ast.Expression) bool {
	text, ok := plainText(e)
	root, _, _ := strings.Cut(text, ".")
	if !ok || root == "moment" || !isPlain(text) {
		return false
	}
	p.references = append(p.references, text)
	return true
}

func (p *purity) call(e *ast.CallExpression) bool {
	if makesMoment(e) {
		p.moment = true
		p.stable = p.stable && len(e.ArgumentList) == 1 && certain(e.ArgumentList[0])
		return p.values(e.ArgumentList)
	}
	callee, ok := e.Callee.(*ast.DotExpression)
	if !ok {
		return false
	}
	switch methodKind(string(callee.Identifier.Name)) {
	case methodUnknown:
		return false
	case methodCompares: // without an argument they compare with the present time
		p.stable = p.stable && len(e.ArgumentList) > 0 && certain(e.ArgumentList[0])
	case methodPlain, methodReturnsMoment:
	}
	return p.value(callee.Left) && p.values(e.ArgumentList)
}

// makesMoment reports whether a call is moment(...), moment.utc(...) or a similar one.
func makesMoment(e *ast.CallExpression) bool {
	switch callee, _ := plainText(e.Callee); callee {
	case "moment", "moment.utc", "moment.unix", "moment.parseZone":
		return true
	}
	return false
}

// certain reports whether a value can never be undefined, which for moment means the present time.
func certain(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral:
		return true
	case *ast.CallExpression:
		if makesMoment(e) {
			return true // checked when it is visited
		}
		callee, ok := e.Callee.(*ast.DotExpression)
		return ok && methodKind(string(callee.Identifier.Name)) == methodReturnsMoment && certain(callee.Left)
	default:
		_, ok := plainText(e)
		return ok
	}
}

// method says what is known about methods with a name, moment's or JavaScript's.
type method int

const (
	methodUnknown method = iota
	methodPlain
	methodReturnsMoment
	methodCompares // moments with each other
)

func methodKind(name string) method {
	switch name {
	case "add", "clone", "endOf", "local", "startOf", "subtract", "utc":
		return methodReturnsMoment
	case "diff", "isAfter", "isBefore", "isBetween", "isSame", "isSameOrAfter", "isSameOrBefore":
		return methodCompares
	case "date", "dates", "day", "dayOfYear", "days", "daysInMonth", "format", "get", "hour", "hours", "isLeapYear", "isValid",
		"isoWeek", "isoWeekYear", "isoWeekday", "millisecond", "milliseconds", "minute", "minutes", "month", "months", "quarter",
		"second", "seconds", "set", "toISOString", "unix", "utcOffset", "valueOf", "week", "weekYear", "weekday", "weeks", "year",
		"years":
		return methodPlain
	case "charAt", "endsWith", "indexOf", "lastIndexOf", "replace", "slice", "split", "startsWith", "substr", "substring",
		"toFixed", "toLowerCase", "toString", "toUpperCase", "trim":
		return methodPlain
	}
	return methodUnknown
}
