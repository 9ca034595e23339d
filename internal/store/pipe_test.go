package store

import "testing"

// shortPipe answers fewer statements than it was sent.
type shortPipe struct{ Pipe }

func (shortPipe) Close() ([]int64, error) { return nil, nil }

// A pipe that does not answer all statements is an error.
func TestShortPipe(t *testing.T) {
	t.Parallel()
	s := &connection{dialect: Dialect{Classify: func(err error) error { return err }}, pipe: shortPipe{}, stopPipe: func() {}, piped: []piped{{table: "task", rows: 1, missing: func(int64) error { return nil }}}}
	if err := s.closePipe(t.Context()); err == nil {
		t.Error("a statement without an answer was taken as done")
	}
}
