package trowel_test

import (
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func TestLinkCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, url, want string
	}{
		{"td job 12", "https://console.example.com/app/jobs/12?a=b#c", ""},
		{"log", "http://localhost:8080/", ""},
		{"größe", "https://example.com/größe", ""},
		{"", "https://example.com/", "its name must have 1 to 100 characters"},
		{strings.Repeat("ü", 100), "https://example.com/", ""},
		{strings.Repeat("ü", 101), "https://example.com/", "its name must have 1 to 100 characters"},
		{"a\nb", "https://example.com/", "its name has characters that cannot be shown"},
		{"a\u202eb", "https://example.com/", "its name has characters that cannot be shown"},
		{"a", "https://example.com/" + strings.Repeat("x", 2048), "its URL has 2068 bytes, and may have 2048"},
		{"a", "https://example.com/a b", "its URL has characters that a URL cannot have"},
		{"a", "https://example.com/\x1b[0m", "its URL has characters that a URL cannot have"},
		{"a", "javascript:alert(1)", "its URL must begin with http:// or https:// and a host"},
		{"a", "//example.com/", "its URL must begin with http:// or https:// and a host"},
		{"a", "https:///path", "its URL must begin with http:// or https:// and a host"},
		{"a", "ftp://example.com/", "its URL must begin with http:// or https:// and a host"},
		{"a", "https://me:hidden@example.com/", "its URL must not name a user"},
		{"a", "https://example.com:port/", "its URL must begin with http:// or https:// and a host"},
	} {
		got := ""
		if err := (trowel.Link{Name: c.name, URL: c.url}).Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("Link{%q, %q}.Check() = %q, want %q", c.name, c.url, got, c.want)
		}
	}
}
