package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// server 1.7.2: which variable names the proxy, and how it is used.
func TestProxy(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, scheme string
		environment  map[string]string
		want         string // empty for none
		warned       []string
	}{
		{"none", "http", nil, "", nil},
		{"lower case first", "http", map[string]string{"http_proxy": "http://a:1", "HTTP_PROXY": "http://b:2"}, "http://a:1", nil},
		{"empty is not set", "http", map[string]string{"http_proxy": "", "HTTP_PROXY": "http://b:2"}, "http://b:2", nil},
		{"https has its own", "https", map[string]string{"HTTPS_PROXY": "http://s:1", "http_proxy": "http://a:1"}, "http://s:1", nil},
		{"https falls back", "https", map[string]string{"HTTP_PROXY": "http://a:1"}, "http://a:1", nil},
		{"http does not use that of https", "http", map[string]string{"https_proxy": "http://s:1"}, "", nil},
		{"a proxy by https", "http", map[string]string{"http_proxy": "https://a:1"}, "https://a:1", nil},
		{"no_proxy is not known", "http", map[string]string{"http_proxy": "http://a:1", "no_proxy": "*"}, "http://a:1", nil},
		{"path is ignored", "http", map[string]string{"http_proxy": "http://a:1/x?y"}, "http://a:1", nil},
		{"credentials", "http", map[string]string{"http_proxy": "http://u:p@a:1"}, "http://a:1", []string{textProxyCredentials}},
		{"no sense is ignored", "http", map[string]string{"http_proxy": "http://[", "HTTP_PROXY": "http://b:2"}, "", nil},
		{"no scheme is ignored", "http", map[string]string{"http_proxy": "a:1"}, "", nil},
		{"another scheme is ignored", "http", map[string]string{"http_proxy": "socks5://a:1"}, "", nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			lookup := func(name string) (string, bool) { value, set := tc.environment[name]; return value, set }
			var warned []string
			got := ""
			if proxy := proxyOf(tc.scheme, lookup, func(text string) { warned = append(warned, text) }); proxy != nil {
				got = proxy.String()
			}
			if got != tc.want {
				t.Errorf("proxy = %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff(tc.warned, warned); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
