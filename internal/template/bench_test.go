package template_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// BenchmarkText evaluates single texts that are compiled once.
func BenchmarkText(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"plain", "${a} b"},
		{"expression", "${a + 1} b"},
		{"function", "${[1, 2, 3].map(function(x) { return x * 2 })}"},
		{"date", "${new Date(session_time).getTime()}"},
		{"moment", "${moment(session_time).add(1, 'days').format('YYYY-MM-DD')}"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := template.New(template.Options{})
			params := param.Of("a", 1, "session_time", "2016-01-30T00:00:00-08:00")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Text(b.Context(), bench.text, params, time.UTC); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkConfig evaluates a task whose 30 parameters need no evaluation.
func BenchmarkConfig(b *testing.B) {
	e := template.New(template.Options{})
	scope := param.Of("a", 1)
	for i := range 29 {
		scope.Set(fmt.Sprintf("key%d", i), "some text")
	}
	local := param.Of("echo>", "${a} b")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Config(b.Context(), scope, local, time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNew makes an evaluator and uses moment for the first time.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		e := template.New(template.Options{})
		if _, err := e.Text(b.Context(), "${moment.version}", param.New(), time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}
