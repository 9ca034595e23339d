package rest

import "testing"

// TestNegotiate checks 2.1: gzip before deflate, and none unless the caller asks for it.
func TestNegotiate(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "", "gzip": "gzip", "deflate": "deflate", "deflate, gzip": "gzip", "gzip;q=0, deflate": "deflate", "identity": "",
		"identity;q=0": "", "*": "gzip", "*;q=0": "", "gzip;q=0,*": "deflate", "br": "", "GZIP": "gzip", "gzip;q=x": "",
	} {
		if got := negotiate([]string{header}); got != want {
			t.Errorf("negotiate(%q) = %q, want %q", header, got, want)
		}
	}
	if got := negotiate(nil); got != "" {
		t.Errorf("negotiate without a header = %q, want none", got)
	}
}
