package api

import (
	"fmt"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// reading takes the fields of a request out of its JSON text (server 2.2). It ignores unknown fields, takes the last
// value of a repeated key, accepts a number or boolean for a text, and a text for a number. A required field that is
// missing or null, or a value of another kind, is an error. The first error is kept.
type reading struct {
	fields *param.Reader
	err    error
}

func read(data []byte) *reading {
	fields, err := param.ParseMap(string(data))
	return &reading{fields: param.NewReader(fields), err: err}
}

// note keeps the first error.
func (r *reading) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reading) failed() bool { return r.err != nil }

func (r *reading) text(key string) string {
	if r.failed() {
		return ""
	}
	text, err := r.fields.String(key)
	r.note(err)
	return text
}

func (r *reading) optText(key string) *string {
	if r.failed() {
		return nil
	}
	text, present, err := r.fields.OptString(key)
	r.note(err)
	if !present {
		return nil
	}
	return &text
}

func (r *reading) id(key string) ID {
	text := r.text(key)
	if r.failed() {
		return 0
	}
	id, err := ParseID(text)
	if err != nil {
		r.note(fmt.Errorf("field %q: %w", key, err))
	}
	return id
}

func (r *reading) optInt(key string) *int {
	if r.failed() {
		return nil
	}
	n, present, err := r.fields.OptInt(key)
	r.note(err)
	if !present {
		return nil
	}
	return &n
}

// flag reads a required boolean.
func (r *reading) flag(key string) bool {
	if r.failed() {
		return false
	}
	value, err := r.fields.Bool(key)
	r.note(err)
	return value
}

func (r *reading) optFlag(key string) bool {
	if r.failed() {
		return false
	}
	value, err := r.fields.BoolOr(key, false)
	r.note(err)
	return value
}

func (r *reading) object(key string) *param.Map {
	if r.failed() {
		return nil
	}
	m, err := r.fields.MapOf(key)
	r.note(err)
	return m
}

// instant reads a required moment. A number is not accepted.
func (r *reading) instant(key string) Instant {
	if r.failed() {
		return Instant{}
	}
	if value, _ := r.fields.Value(key); value == nil {
		r.text(key) // says that it is missing
		return Instant{}
	}
	if i := r.optInstant(key); i != nil {
		return *i
	}
	return Instant{}
}

func (r *reading) optInstant(key string) *Instant {
	return optTime(r, key, func(text string) (Instant, error) {
		t, err := ParseInstant(text)
		return Instant{Time: t.Truncate(time.Second)}, err
	})
}

func (r *reading) optLocalOrInstant(key string) *LocalOrInstant {
	return optTime(r, key, ParseLocalOrInstant)
}

// optTime reads an optional time, which must be a JSON string.
func optTime[T any](r *reading, key string, parse func(string) (T, error)) *T {
	if r.failed() {
		return nil
	}
	value, _ := r.fields.Value(key)
	if value == nil {
		return nil
	}
	text, ok := value.(string)
	if !ok {
		text = param.JSON(value)
		r.note(fmt.Errorf("Invalid ISO time format: %s (field %q)", text, key)) //nolint:staticcheck // Digdag's text, server 2.2
		return nil
	}
	parsed, err := parse(text)
	if err != nil {
		r.note(fmt.Errorf("%w (field %q)", err, key))
		return nil
	}
	return &parsed
}
