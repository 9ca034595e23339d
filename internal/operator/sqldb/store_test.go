package sqldb

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// objects is a result of some rows, each of which has one value with no bound of its own.
type objects struct {
	left int
	one  param.Value
}

func (*objects) columns() []string { return []string{"j"} }

func (o *objects) next() (bool, error) {
	o.left--
	return o.left >= 0, nil
}
func (*objects) appendText(dst []byte, _ int) ([]byte, bool) { return dst, true }
func (o *objects) value(int) param.Value                     { return o.one }

func TestStoreIsBounded(t *testing.T) {
	t.Parallel()
	one := param.Of("value", strings.Repeat("x", 1<<20))
	if _, err := store(&objects{left: 15, one: one}, true, Settings{}); err != nil {
		t.Error(err)
	}
	_, err := store(&objects{left: 16, one: one}, true, Settings{})
	if got, want := operatortest.Message(err), "The result is too large to be stored: it has more than 16777216 bytes as JSON"; got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
}
