package template

import (
	"context"
	"fmt"
	"github.com/trowel-project/trowel/internal/param"
	"testing"
	"time"
)

func benchText(b *testing.B, text string) {
	e := New(Options{})
	p := param.Of("a", 1, "s", "abc", "session_time", "2016-01-30T00:00:00-08:00")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Text(context.Background(), text, p, time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkPlain(b *testing.B)      { benchText(b, "${a} b") }
func BenchmarkExpression(b *testing.B) { benchText(b, "${a+1} b") }
func BenchmarkFunction(b *testing.B)   { benchText(b, "${[1,2,3].map(function(x){return x*2})}") }
func BenchmarkDate(b *testing.B)       { benchText(b, "${new Date(session_time).getTime()}") }
func BenchmarkMoment(b *testing.B) {
	benchText(b, "${moment(session_time).add(1,'days').format('YYYY-MM-DD')}")
}
func BenchmarkConfig(b *testing.B) {
	e := New(Options{})
	p := param.New()
	for i := range 29 {
		p.Set(fmt.Sprintf("key%d", i), "some text value")
	}
	p.Set("a", int64(1))
	local := param.Of("echo>", "${a} b")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Config(context.Background(), p, local, time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}
