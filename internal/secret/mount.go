package secret

import (
	"context"
	"log/slog"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Mount returns a Finder that renames keys by a _secrets map before it asks next (operators 1.6). A
// text in the map replaces the part of the key that leads to it: {pg: {password: prod.db}} reads
// "prod.db" for "pg.password", and {aws: corp.aws} reads "corp.aws.s3.region" for "aws.s3.region". An
// empty map renames nothing. The value true, which once granted access, is logged as a warning.
func Mount(next Finder, mounts *param.Map, log *slog.Logger) Finder {
	if mounts.Len() == 0 {
		return next
	}
	return &mounted{next: next, mounts: mounts, log: log}
}

type mounted struct {
	next   Finder
	mounts *param.Map
	log    *slog.Logger
}

func (m *mounted) Find(ctx context.Context, key string) (Value, bool, error) {
	renamed, err := m.rename(key)
	if err != nil {
		return Value{}, false, err
	}
	return m.next.Find(ctx, renamed)
}

func (m *mounted) rename(key string) (string, error) {
	scope, rest := m.mounts, key
	for {
		segment, after, more := strings.Cut(rest, ".")
		value, ok := scope.Get(segment)
		if !ok {
			return key, nil
		}
		switch value := value.(type) {
		case string:
			if more {
				return value + "." + after, nil
			}
			return value, nil
		case *param.Map:
			if !more {
				return key, nil
			}
			scope, rest = value, after
			continue
		case bool:
			if value {
				m.log.Warn("granting access to secrets in _secrets is not needed; all secrets can be read", slog.String("secret", key))
				return key, nil
			}
		}
		return "", param.Errorf("Illegal value in _secrets: %s", param.JSON(value)) // operators 1.6
	}
}
