package postgres

import (
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// Old servers, and databases that cannot store all texts, are refused with what to do.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		server server
		want   string
	}{
		{server{130000, "13.0", "UTF8"}, ""},
		{server{180001, "18.1", "UTF8"}, ""},
		{server{120022, "12.22", "UTF8"}, "PostgreSQL 12.22 is too old"},
		{server{150018, "15.18", "LATIN1"}, "the database has encoding LATIN1, which does not have all characters"},
		{server{150018, "15.18", "SQL_ASCII"}, "the database has encoding SQL_ASCII, which does not have all characters"},
	} {
		err := row.server.check()
		if row.want == "" {
			if err != nil {
				t.Errorf("%v: %v, want none", row.server, err)
			}
			continue
		}
		known, ok := errors.AsType[*trowel.Error](err)
		if !ok || known.Message != row.want || known.Hint == "" || !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("%v: %v, want %q with a hint", row.server, err, row.want)
		}
	}
}
