package dig

import (
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// A key that is in the tables is read, too: else it would be offered and accepted, and do nothing.
func TestKeysAreRead(t *testing.T) {
	t.Parallel()
	wrong := param.Of("no such key", 1)
	for _, key := range ControlKeys() {
		if _, err := ControlOf(param.Of(key, wrong)); err == nil {
			t.Errorf("ControlOf of control.go takes any value of %s: does it read it?", key)
		}
	}
	for _, key := range optionKeys() {
		if _, _, err := (*Options)(nil).Below(param.Of(key, wrong)).Needs(nil, "+w"); err == nil {
			t.Errorf("Needs of needs.go takes any value of %s: does it read it?", key)
		}
	}
}
