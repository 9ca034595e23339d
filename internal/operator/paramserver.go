package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 6.1.
const (
	paramNoServer = "param_server.type is required to use this operator."
	paramNoKey    = "no key is set."
)

// ParamTTL is how long a parameter is kept after it was last written (operators 6.1).
const ParamTTL = 90 * 24 * time.Hour

// ParamServer stores parameters for all workflows (operators 6.1). It is safe for concurrent use.
type ParamServer interface {
	// SetParams writes all values by their keys, or none of them. Doing it twice is harmless.
	SetParams(ctx context.Context, values map[string]string) error
	// FindParams returns the values of those keys that were written within ParamTTL.
	FindParams(ctx context.Context, keys []string) (map[string]string, error)
}

// params runs param_set> and param_get>.
type params struct {
	server ParamServer // nil without one
}

// runSet writes the task's own keys to the server (operators 6.1).
func (p *params) runSet(ctx context.Context, r *Request) (Outcome, error) {
	entries, err := p.entries(r)
	if err != nil {
		return Outcome{}, err
	}
	values := map[string]string{}
	for _, entry := range entries {
		values[entry.name] = entry.text
	}
	r.Waiting()
	if err := p.server.SetParams(ctx, values); err != nil {
		return Outcome{}, paramFailure(ctx, "set parameters", err)
	}
	return Success()
}

// runGet stores the server's values for the task's own keys, under the names that these say. A missing value is stored
// as an empty text (operators 6.1).
func (p *params) runGet(ctx context.Context, r *Request) (Outcome, error) {
	entries, err := p.entries(r)
	if err != nil {
		return Outcome{}, err
	}
	keys := make([]string, len(entries))
	for i, entry := range entries {
		keys[i] = entry.name
	}
	r.Waiting()
	found, err := p.server.FindParams(ctx, keys)
	if err != nil {
		return Outcome{}, paramFailure(ctx, "get parameters", err)
	}
	store := param.New()
	for _, entry := range entries {
		store.Set(entry.text, found[entry.name])
	}
	return Outcome{Result: trowel.Result{Store: store}}, nil
}

// entries returns the task's own keys with their texts, except directives and the operator itself, which
// Digdag treats as entries, too.
func (p *params) entries(r *Request) ([]variable, error) {
	if p.server == nil {
		return nil, param.Errorf(paramNoServer)
	}
	own := param.NewReader(r.Local)
	var entries []variable
	for key := range r.Local.All() {
		if strings.HasPrefix(key, "_") || strings.HasSuffix(key, ">") {
			continue
		}
		text, found, err := own.OptString(key)
		if err != nil {
			return nil, err
		}
		if found {
			entries = append(entries, variable{key, text})
		}
	}
	if len(entries) == 0 {
		return nil, param.Errorf(paramNoKey)
	}
	return entries, nil
}

func paramFailure(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", doing, err)
}
