package store

import (
	"database/sql"
	"encoding/json"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// needs writes what a task needs as JSON. Nil becomes NULL.
func (v *values) needs(n *trowel.Requirements) {
	if n == nil {
		v.null()
		return
	}
	v.whole(mustJSON(n))
}

// holds writes what a task has taken as JSON. Nil becomes NULL, which is different from nothing.
func (v *values) holds(h trowel.Acquired) {
	if h == nil {
		v.null()
		return
	}
	v.whole(mustJSON(h))
}

// names writes a list of texts as JSON. An empty one becomes NULL.
func names(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return mustJSON(list)
}

// keptLimits writes the limits that an agent keeps as JSON. None becomes NULL.
func keptLimits(k *trowel.KeptLimits) any {
	if len(k.Names) == 0 && len(k.Container) == 0 {
		return nil
	}
	return mustJSON(k)
}

// mustJSON writes a value of texts, numbers and lists of them as JSON, which cannot fail.
func mustJSON(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("write %T as JSON: %v", value, err)) //nolint:forbidigo // a broken build: a type that JSON does not have
	}
	return string(data)
}

// readJSON reads a JSON column. NULL leaves to as it is.
func readJSON(text sql.NullString, to any) error {
	if !text.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(text.String), to); err != nil {
		return fmt.Errorf("read stored JSON %q: %w", text.String, err)
	}
	return nil
}

// needsReader reads the needs of many tasks. Equal ones share one value, which nobody changes.
type needsReader map[string]*trowel.Requirements

func (r needsReader) read(text sql.NullString) (*trowel.Requirements, error) {
	if !text.Valid {
		return nil, nil //nolint:nilnil // nil means the defaults
	}
	if known := r[text.String]; known != nil {
		return known, nil
	}
	n := &trowel.Requirements{}
	if err := readJSON(text, n); err != nil {
		return nil, err
	}
	r[text.String] = n
	return n, nil
}
