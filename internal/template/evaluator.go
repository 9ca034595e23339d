package template

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/trowel-project/trowel/internal/param"
)

// Options are limits. The zero value has the defaults.
type Options struct {
	// TimeLimit is how long the evaluation of one text may take. Zero means 10 seconds.
	TimeLimit time.Duration
	// MaxResultBytes is the largest size of a result, and of any text that an expression
	// makes, which is counted in UTF-16 units. Zero means 8 MiB.
	MaxResultBytes int
	// MaxHeapBytes is by how much the memory of the process may grow during an expression that
	// allocates a lot. Zero means 128 MiB.
	MaxHeapBytes int
	// PlainSyntax ends an expression at its first closing brace instead of the balancing one. It is
	// Digdag's eval.extended-syntax = false (language T13).
	PlainSyntax bool
}

func (o Options) withDefaults() Options {
	if o.TimeLimit <= 0 {
		o.TimeLimit = 10 * time.Second
	}
	if o.MaxResultBytes <= 0 {
		o.MaxResultBytes = 8 << 20
	}
	if o.MaxHeapBytes <= 0 {
		o.MaxHeapBytes = 128 << 20
	}
	return o
}

// Evaluator evaluates ${...}. It is safe for concurrent use. Make one and share it, as it keeps what
// it has compiled.
type Evaluator struct {
	options  Options
	programs cache[string, *program]
	results  cache[resultKey, string]
	spare    spare
	moment   func() (*goja.Program, error) // compiled at the first call
	shell    func() (*goja.Program, error)
}

// New returns an Evaluator. It does no work that an expression may not need.
func New(options Options) *Evaluator {
	limitRegexps()
	return &Evaluator{
		options: options.withDefaults(),
		moment:  sync.OnceValues(compileMoment),
		shell:   sync.OnceValues(compileShell),
	}
}

// Text evaluates one text, such as a file (language T28). Literal text stays, and each expression
// becomes the text of its value (T17). A nil zone means UTC.
//
// An error in an expression is a *param.Error with Digdag's text, of Digdag's kind
// "config" (T27). If a limit was exceeded, it is also ErrTimeout, ErrSize or ErrMemory. When ctx
// ends, its cause is returned instead.
func (e *Evaluator) Text(ctx context.Context, text string, params *param.Map, zone *time.Location) (string, error) {
	return e.text(ctx, text, scope{params: params}, zone)
}

func (e *Evaluator) text(ctx context.Context, text string, sc scope, zone *time.Location) (string, error) {
	if strings.IndexByte(text, '$') < 0 { // language T4
		return text, nil
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	result, ok, err := e.plain(text, sc)
	if err != nil || ok {
		return result, err
	}
	return e.interpret(ctx, text, sc, zone)
}

// plain evaluates a text whose expressions are all plain references. ok is false if the interpreter
// is needed.
func (e *Evaluator) plain(text string, sc scope) (result string, ok bool, err error) {
	if !e.allPlain(text) {
		return "", false, nil
	}
	buf := make([]byte, 0, len(text)+64)
	pieces := newScanner(text, !e.options.PlainSyntax)
	for p, more := pieces.next(); more; p, more = pieces.next() {
		if !p.code {
			buf = append(buf, p.text...)
			continue
		}
		value, answer := resolve(p.text, sc)
		switch answer {
		case found:
			buf = appendText(buf, value)
		case undefined:
		case noObject:
			return "", false, failure(text, value.(string), nil)
		case unknown:
			return "", false, nil
		}
		if len(buf) > e.options.MaxResultBytes {
			return "", false, e.tooLarge(text)
		}
	}
	return string(buf), true, nil
}

func (e *Evaluator) allPlain(text string) bool {
	pieces := newScanner(text, !e.options.PlainSyntax)
	for p, more := pieces.next(); more; p, more = pieces.next() {
		if p.code && !isPlain(p.text) {
			return false
		}
	}
	return true
}
