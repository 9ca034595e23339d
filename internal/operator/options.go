package operator

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Section returns a Reader of the parameters, with those in the blocks as defaults (language L33, P11, operators
// 1.3). An earlier block comes first. The name of a block within a block is written with a dot, as "aws.s3".
func (r *Request) Section(blocks ...string) (*param.Reader, error) {
	merged := r.Params.Map()
	for _, block := range blocks {
		section, err := sectionOf(r.Params, block)
		if err != nil {
			return nil, err
		}
		if section.Len() == 0 {
			continue
		}
		if merged == r.Params.Map() {
			merged = merged.Clone()
		}
		merged.MergeDefaults(section)
	}
	if merged == r.Params.Map() {
		return r.Params, nil
	}
	return param.NewReader(merged), nil
}

func sectionOf(params *param.Reader, block string) (section *param.Map, err error) {
	for name := range strings.SplitSeq(block, ".") {
		if section, err = params.OptMap(name); err != nil {
			return nil, err
		}
		params = param.NewReader(section)
	}
	return section, nil
}

// Expand replaces the secrets in a text.
func (r *Request) Expand(ctx context.Context, text string) (string, error) {
	return secret.Expand(ctx, r.mounted, text)
}

// ExpandAll returns a value with the secrets replaced in all its texts and keys.
func (r *Request) ExpandAll(ctx context.Context, value param.Value) (param.Value, error) {
	switch value := value.(type) {
	case string:
		return r.Expand(ctx, value)
	case *param.Map:
		out := param.Sized(value.Len())
		for key, member := range value.All() {
			key, err := r.Expand(ctx, key)
			if err != nil {
				return nil, err
			}
			if member, err = r.ExpandAll(ctx, member); err != nil {
				return nil, err
			}
			out.Set(key, member)
		}
		return out, nil
	case param.List:
		out := make(param.List, len(value))
		for i, element := range value {
			element, err := r.ExpandAll(ctx, element)
			if err != nil {
				return nil, err
			}
			out[i] = element
		}
		return out, nil
	default:
		return value, nil
	}
}

// OptSecret returns the secret of the first of the keys that there is, and whether there is one. _secrets may rename the
// keys.
func (r *Request) OptSecret(ctx context.Context, keys ...string) (text string, found bool, err error) {
	for _, key := range keys {
		value, found, err := r.mounted.Find(ctx, key)
		if err != nil || found {
			return value.Reveal(), found, err
		}
	}
	return "", false, nil
}

// Secret is OptSecret for a secret that must be there. A missing one is a *secret.NotFoundError about the last key.
func (r *Request) Secret(ctx context.Context, keys ...string) (string, error) {
	text, found, err := r.OptSecret(ctx, keys...)
	if err == nil && !found {
		err = &secret.NotFoundError{Key: keys[len(keys)-1]}
	}
	return text, err
}

// Path returns the absolute path of a file that an option names, relative to the working directory (language L59). It
// is for operators with Wrapped set, without NoFiles.
func (r *Request) Path(name string) (string, error) { return r.workspace.path(name) }

// unretried is an error that _retry does not repeat: in Digdag it occurs when the operator is made
// (operators 1.12).
type unretried struct{ err error }

func (e *unretried) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *unretried) Unwrap() error { return e.err }

// Unretried returns an error that _retry does not repeat: Digdag finds it when it makes the operator (operators 1.12).
func Unretried(err error) error {
	if err == nil {
		return nil
	}
	return &unretried{err}
}
