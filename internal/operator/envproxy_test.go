package operator_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
)

// Operators 1.16.
func TestEnvProxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env    map[string]string
		secure bool
		want   string
		fails  bool
	}{
		"none":                     {},
		"blank":                    {env: map[string]string{"http_proxy": " "}},
		"plain":                    {env: map[string]string{"http_proxy": "http://a:1", "https_proxy": "http://b:1"}, want: "http://a:1"},
		"secure":                   {env: map[string]string{"http_proxy": "http://a:1", "HTTPS_PROXY": "http://b:1/x"}, secure: true, want: "http://b:1"},
		"secure by that for plain": {env: map[string]string{"HTTP_PROXY": "https://a:1"}, secure: true, want: "https://a:1"},
		"credentials":              {env: map[string]string{"http_proxy": "http://me:p%40ss@a:1"}, want: "http://me:p%40ss@a:1"},
		"no URL":                   {env: map[string]string{"http_proxy": "hush:8080"}, fails: true},
	} {
		got, err := operator.EnvProxy(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }, c.secure)
		text := ""
		if got != nil {
			text = got.String()
		}
		if text != c.want || (err != nil) != c.fails {
			t.Errorf("%s: EnvProxy = %q, %v, want %q", name, text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the error shows the value: %v", name, err)
		}
	}
	if got, err := operator.EnvProxy(nil, true); got != nil || err != nil {
		t.Errorf("EnvProxy without an environment = %v, %v", got, err)
	}
}
