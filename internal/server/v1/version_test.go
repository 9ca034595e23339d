package v1

import "testing"

// TestParseVersion checks the grammar of 2.6.1.
func TestParseVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0.1.0": true, "1": true, "0.10.6-SNAPSHOT": true, "1.2-a.b_c-d": true,
		"": false, "v1.0": false, "01.2": false, "1.": false, "1-": false, "abc": false, "1.2\t": false, "1..2": false,
		"99999999999999999999.1": false,
	} {
		if _, ok := parseVersion(text); ok != want {
			t.Errorf("parseVersion(%q) = %v, want %v", text, ok, want)
		}
	}
}

// TestCompareVersions checks the order of 2.6.1: each version is older than the next.
func TestCompareVersions(t *testing.T) {
	t.Parallel()
	order := []string{"0.9", "0.10.0-a", "0.10.0-b", "0.10", "0.10.1", "1-x", "1", "1.0.0.1"}
	for i, older := range order {
		for j, newer := range order {
			a, _ := parseVersion(older)
			b, _ := parseVersion(newer)
			if got := a.compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s compared with %s = %d", older, newer, got)
			}
		}
	}
}
