package client

import "testing"

// server 1.7.1: the form of an endpoint. The path is ignored.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, want string }{
		{"http://127.0.0.1:65432", "http://127.0.0.1:65432"},
		{"http://example.com", "http://example.com"},
		{"https://example.com", "https://example.com"},
		{"https://example.com:8443/ignored/path?x=1", "https://example.com:8443"},
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

// server 1.7.1: another scheme is refused with Digdag's text, and other mistakes with a text that says why.
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
		{"h?x", `endpoint "h?x" names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT`},
		{"::1:80", "endpoint ::1:80: an IPv6 address stands in brackets, as in http://[::1]:65432"},
	}
	for _, tc := range cases {
		if _, err := parseEndpoint(tc.text); err == nil || err.Error() != tc.want {
			t.Errorf("endpoint %q: %v, want %s", tc.text, err, tc.want)
		}
	}
}

// FuzzEndpoint proves that an endpoint is refused, or is an address that net/http accepts.
func FuzzEndpoint(f *testing.F) {
	for _, text := range []string{"http://h:1/x", "https://[::1]:2", "h", "ftp://x", "::", "http://"} {
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
