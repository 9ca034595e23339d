package ring

import "testing"

func TestUse(t *testing.T) {
	if use().Name != "n" {
		t.Error("this text is longer than most are, but stands in a test")
	}
}
