package accesslog

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

func sampleAccess() Entry {
	return Entry{
		At: time.Date(2024, 1, 2, 3, 4, 5, 678_000_000, time.UTC), Host: "127.0.0.1", Method: "GET", URI: "/api/projects/1/secrets?x=\"y\"",
		Protocol: "HTTP/1.1", Status: 200, SizeBytes: 279, VHost: "127.0.0.1:65432", Took: 1234 * time.Microsecond,
		Header: http.Header{"User-Agent": {"curl/7.88.1"}},
	}
}

// TestAccessPatterns checks the patterns of 3.5.
func TestAccessPatterns(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"json": `{"time":"2024-01-02T03:04:05.678+0000","host":"127.0.0.1","forwardedfor":null,"method":"GET",` +
			`"uri":"/api/projects/1/secrets?x=\"y\"","protocol":"HTTP/1.1","status":"200","size":"279","referer":null,"ua":"curl/7.88.1",` +
			`"vhost":"127.0.0.1:65432","reqtime":"0.001"}`,
		"json{a:%s b:%{i,X}}":       `{"a":"200","b":null}`,
		"common":                    `127.0.0.1 - - [02/Jan/2024:03:04:05 +0000] "GET /api/projects/1/secrets?x=\"y\" HTTP/1.1" 200 279`,
		"%s %{i,Referer} in %T":     "200 - in 0.001",
		"plain":                     "plain",
		"%{time,2006} %q":           `2024 ?x=\"y\"`,
		`%h "%{i,User-Agent}" done`: `127.0.0.1 "curl/7.88.1" done`,
	} {
		parts, err := parsePattern(pattern)
		if err != nil {
			t.Errorf("parseAccessPattern(%q): %v", pattern, err)
			continue
		}
		if got := formatEntry(parts, sampleAccess()); got != want {
			t.Errorf("pattern %q:\n got %s\nwant %s", pattern, got, want)
		}
	}
	for _, pattern := range []string{"json{a}", "json{a:b}", "json{}", "%x", "%{nope}"} {
		if _, err := parsePattern(pattern); !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("parseAccessPattern(%q) = %v, want invalid", pattern, err)
		}
	}
}

// TestAccessFileRotates checks that the lines of a day are in the file of that day.
func TestAccessFileRotates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	f, err := Open(dir, "%{time,2006-01-02}")
	if err != nil {
		t.Fatal(err)
	}
	a := sampleAccess()
	f.Log(a)
	f.Log(a)
	a.At = a.At.Add(24 * time.Hour)
	f.Log(a)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.Log(a) // dropped, since the file is closed
	for name, want := range map[string]string{"access.2024-01-02.log": "2024-01-02\n2024-01-02\n", "access.log": "2024-01-03\n"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
}

func FuzzAccessPattern(f *testing.F) {
	for _, pattern := range []string{"json", "json{a:%s}", "%{time,x}", "%%", "json{"} {
		f.Add(pattern)
	}
	// A request is one line, whatever the pattern.
	f.Fuzz(func(t *testing.T, pattern string) {
		parts, err := parsePattern(pattern)
		if err != nil || strings.ContainsAny(pattern, "\r\n") {
			return
		}
		a := sampleAccess()
		a.Header.Set("X", "a\nb")
		if line := formatEntry(parts, a); strings.Contains(line, "\n") && !strings.Contains(pattern, "time") {
			t.Errorf("pattern %q makes several lines: %q", pattern, line)
		}
	})
}
