package sqldb

import (
	"context"
	"testing"
)

// taken is a connection to a server where others create the same table.
type taken struct {
	connection

	state string // of the errors
	times int    // that it is told
}

func (c *taken) run(context.Context, string) error {
	if c.times == 0 {
		return nil
	}
	c.times--
	return &serverError{state: c.state, text: "already exists"}
}

// A status table that others create at the same time is there the next time. A name that something else has remains an error.
func TestStatusTableAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, state := range []string{stateDuplicate, stateDuplicateObject, stateDuplicateTable} {
		for times, ok := range map[int]bool{1: true, createTries: false} {
			s := &status{dialect: newPostgres(), to: &taken{state: state, times: times}}
			if err := createStatusTable(t.Context(), s); (err == nil) != ok {
				t.Errorf("%s, %d times: the error is %v", state, times, err)
			}
		}
	}
}
