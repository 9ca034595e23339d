package trowel

import (
	"errors"
	"testing"
)

func TestWriters(t *testing.T) {
	t.Parallel()
	for lowest, wantErr := range []bool{false, false, false, true, true} {
		err := Writers{Lowest: lowest, Since: "0.3.0"}.check(2)
		if (err != nil) != wantErr || wantErr != errors.Is(err, ErrOutdated) || wantErr != errors.Is(err, ErrConflict) {
			t.Errorf("lowest %d for generation 2: %v, want an ErrOutdated %v", lowest, err, wantErr)
		}
	}
	const want = "only Trowel 0.3.0 and later may write to the database (generation 3), and this program is older (generation 2)"
	if err := (Writers{Lowest: 3, Since: "0.3.0"}).check(2); err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if err := (Writers{Lowest: Generation}).Check(); err != nil {
		t.Errorf("a database of this generation: %v", err)
	}
}
