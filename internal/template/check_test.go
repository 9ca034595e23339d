package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	extended, plain := template.New(template.Options{}), template.New(template.Options{PlainSyntax: true})
	for _, c := range []struct {
		text  string
		fault template.Fault
	}{
		{text: "no expression"},
		{text: "${a} and ${b.c[0]} and ${moment(session_time).add(1, 'day').format('YYYY')}"},
		{text: "${ {a: 1}.a }"},
		{text: "${}"},
		{text: "costs 5 ${"},
		{text: "$${a}"},
		{text: "${secret:db.password} ${if (} "[:22]},
		{text: "${x:-{}"},
		{text: "${(() => { return 1 })()}"},
		{text: "${`a${1}b`}"},
		{text: "${class_of} ${a ? b : c}"},
		{"${1 +}", template.Fault{Code: "${1 +}", Message: "Unexpected token }"}},
		{"a ${ok} b ${c d}", template.Fault{Code: "${c d}", Message: "Unexpected identifier"}},
		{"${ }", template.Fault{Code: "${ }", Message: "Unexpected token }"}},
		{"${a; b}", template.Fault{Code: "${a; b}", Message: "Unexpected token ;"}},
		{"${session_date", template.Fault{Code: "${session_date", Unclosed: true}},
		{"${a} ${b {}", template.Fault{Code: "${b {}", Unclosed: true}},
	} {
		fault, ok := extended.Check(c.text)
		if ok != (c.fault.Code == "") {
			t.Errorf("Check(%s): ok = %v, fault %+v", c.text, ok, fault)
		} else if diff := cmp.Diff(c.fault, fault); diff != "" {
			t.Errorf("Check(%s) (-want +got):\n%s", c.text, diff)
		}
		// An expression without a fault is never refused because of its syntax.
		if _, err := extended.Text(t.Context(), c.text, param.New(), nil); ok && err != nil && strings.Contains(err.Error(), "SyntaxError") {
			t.Errorf("Check(%s) found nothing, Text: %v", c.text, err)
		}
	}
	if _, ok := plain.Check("${ {a: 1}.a }"); ok {
		t.Error("plain syntax: the first brace ends the expression, so there is no object in it")
	}
}
