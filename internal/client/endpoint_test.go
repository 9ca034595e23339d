package client

import "testing"

// server 1.7.1: what an endpoint looks like; a path comes before the paths of requests.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, want string }{
		{"http://127.0.0.1:65432", "http://127.0.0.1:65432"},
		{"http://example.com", "http://example.com"},
		{"https://example.com", "https://example.com"},
		{"https://example.com:8443/a/path", "https://example.com:8443/a/path"},
		{"example.com/trowel/", "http://example.com/trowel"},
		{"example.com/a b//", "http://example.com/a%20b"},
		{"http://example.com//", "http://example.com"},
		{"example.com", "http://example.com"},
		{"example.com:80/", "http://example.com:80"},
		{"http://[::1]:65432", "http://[::1]:65432"},
		{"[::1]", "http://[::1]"},
	}
	for _, tc := range cases {
		got, err := parseEndpoint(tc.text)
		if err != nil || got.String() != tc.want {
			t.Errorf("endpoint %q = %v, %v; want %s", tc.text, got, err, tc.want)
		}
	}
}

// server 1.7.1: another scheme is refused with Digdag's text, the rest with a text that says why.
func TestEndpointRefused(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, want string }{
		{"ftp://127.0.0.1:1", "Endpoint must start with http:// or https://: ftp://127.0.0.1:1"},
		{"127.0.0.1:port", `endpoint 127.0.0.1:port: the port must be a number from 1 to 65535, not "port"`},
		{"h:0", `endpoint h:0: the port must be a number from 1 to 65535, not "0"`},
		{"h:65536", `endpoint h:65536: the port must be a number from 1 to 65535, not "65536"`},
		{"http://user@h", `endpoint "http://user@h" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"", `endpoint "" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"[]", `endpoint "[]" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"a[b", `endpoint "a[b" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"a b", `endpoint "a b" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"h?x", `endpoint h?x: an endpoint ends with a host, a port or a path; leave out "?x"`},
		{"http://h:1/trowel?a=b#c", `endpoint http://h:1/trowel?a=b#c: an endpoint ends with a host, a port or a path; leave out "?a=b#c"`},
		{"h/ui#attempts", `endpoint h/ui#attempts: an endpoint ends with a host, a port or a path; leave out "#attempts"`},
		{"h/%zz", `endpoint "h/%zz": its path is none of a URL`},
		{"::1:80", "endpoint ::1:80: an IPv6 address stands in brackets, as in http://[::1]:65432"},
	}
	for _, tc := range cases {
		if _, err := parseEndpoint(tc.text); err == nil || err.Error() != tc.want {
			t.Errorf("endpoint %q: %v, want %s", tc.text, err, tc.want)
		}
	}
}

// An endpoint is refused, or it is an address that net/http takes.
func FuzzEndpoint(f *testing.F) {
	for _, text := range []string{"http://h:1/x", "h/a/?b", "https://[::1]:2", "h", "ftp://x", "::", "http://"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		endpoint, err := parseEndpoint(text)
		if err != nil {
			return
		}
		if endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Hostname() == "" {
			t.Errorf("endpoint %q = %v", text, endpoint)
		}
	})
}
