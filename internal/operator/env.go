package operator

import (
	"context"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// variable is one entry of _env.
type variable struct{ name, text string }

// isVariableName reports whether a text may be the name of a variable: letters, digits except at the
// beginning, and underscores (operators 1.7, 3.2).
func isVariableName(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return name != ""
}

// readEnv reads _env among a task's own keys (operators 1.7). An _env that is only exported is ignored.
func readEnv(local *param.Map) ([]variable, error) {
	if !local.Has("_env") {
		return nil, nil
	}
	env, err := param.NewReader(local).OptMap("_env")
	if err != nil {
		return nil, err
	}
	var vars []variable
	values := param.NewReader(env)
	for name := range env.All() {
		template, err := values.String(name)
		if err != nil {
			return nil, err
		}
		vars = append(vars, variable{name, template})
	}
	return vars, nil
}

// expandEnv returns the variables of _env in order, with their secrets. _secrets does not rename the keys of these
// secrets, as in Digdag.
func (r *Request) expandEnv(ctx context.Context) ([]variable, error) {
	vars := make([]variable, 0, len(r.env))
	for _, v := range r.env {
		if !isVariableName(v.name) {
			return nil, param.Errorf("Invalid _env key name: %s", v.name) // operators 1.7
		}
		text, err := secret.Expand(ctx, r.Secrets, v.text)
		if err != nil {
			return nil, err
		}
		vars = append(vars, variable{v.name, text})
	}
	return vars, nil
}
