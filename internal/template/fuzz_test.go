package template_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// FuzzText proves that no text causes a panic or takes longer than the limit, and that an error
// contains the text.
func FuzzText(f *testing.F) {
	const patience = time.Minute // for endless evaluations
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	params, err := param.ParseMap(`{"a": 1, "b": "x", "o": {"k": [1, 2], "z": null}, "n": null, "x-y": 5, "t": "${a}", "s": "abc",
		"session_time": "2016-01-30T00:00:00-08:00"}`)
	if err != nil {
		f.Fatal(err)
	}
	options := template.Options{TimeLimit: 200 * time.Millisecond, MaxResultBytes: 1 << 16, MaxHeapBytes: 32 << 20}
	extended := template.New(options)
	options.PlainSyntax = true
	plain := template.New(options)
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []*template.Evaluator{extended, plain} {
			start := time.Now()
			result, err := e.Text(context.Background(), text, params, time.UTC)
			if took := time.Since(start); took > patience {
				t.Errorf("Text(%q) took %v", text, took)
			}
			if err != nil {
				if _, ok := errors.AsType[*param.Error](err); !ok || !strings.HasPrefix(err.Error(), "Failed to evaluate a variable "+text+" (") {
					t.Errorf("Text(%q): error = %T %v", text, err, err)
				}
				if strings.Contains(err.Error(), "InternalError") {
					t.Errorf("Text(%q): error = %v", text, err)
				}
			}
			if err == nil && !strings.Contains(text, "$") && result != text {
				t.Errorf("Text(%q) = %q, want it unchanged", text, result)
			}
		}
	})
}

// FuzzJava tries regular expressions, formats and dates.
func FuzzJava(f *testing.F) {
	for _, seed := range []string{
		"a*+b", "[a-z&&[^aeiou]]", `\p{IsAlphabetic}\d\W`, `(?i)x(?<n>y)\k<n>`, `\Q.\E`, "%03d", "%2$-10.3s|%<e", "Jan 15, 2024 10:00 PM",
		"2024-01-15T10:00:00.5+09:00", "1/2/3 4:5:6 GMT+1 (x)",
	} {
		f.Add(seed, "text")
	}
	e := template.New(template.Options{TimeLimit: 200 * time.Millisecond})
	f.Fuzz(func(t *testing.T, pattern, text string) {
		params := param.Of("p", pattern, "t", text)
		for _, expression := range []string{
			"${t.replaceAll(p, t)}", "${t.matches(p)}", "${java.lang.String.format(p, t, 1, 1.5, null, true)}", "${new Date(p)} ${new Date(p)}",
			"${t.replace(new RegExp(p, 'g'), t)}", "${moment(p).format(t)} ${moment(p, t).format()}", "${JSON.parse(p)}", "${eval(p)}",
		} {
			_, err := e.Text(context.Background(), expression, params, time.UTC)
			if _, ok := errors.AsType[*param.Error](err); err != nil && (!ok || strings.Contains(err.Error(), "InternalError")) {
				t.Errorf("Text(%s) with p = %q, t = %q: error = %T %v", expression, pattern, text, err, err)
			}
		}
	})
}

func seeds(f *testing.F) []string {
	f.Helper()
	texts := []string{"$", "$$", "$${a}", "${}", "${", "p${v q", "${secret:${a}}", "${\"}\"}", "${a // note}", "${a /* } */}", "x${ $$ y ${a}"}
	for _, bomb := range bombs {
		if len(bomb.text) < 1000 && !strings.Contains(bomb.text, "while (true)") && !strings.Contains(bomb.text, "for (;;") {
			texts = append(texts, bomb.text)
		}
	}
	file, err := os.ReadFile("testdata/expressions.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		text, _, _ := strings.Cut(line, "\t")
		texts = append(texts, text)
	}
	return texts
}
