package operator

import (
	"fmt"
	"net/url"
	"strings"
)

// EnvProxy returns the proxy that the environment names for servers with or without TLS, with its credentials
// (operators 1.16). It returns nil if there is none. The error names the variable but not its value, which may have
// a password. env may be nil.
func EnvProxy(env func(string) (string, bool), secure bool) (*url.URL, error) {
	if env == nil {
		return nil, nil //nolint:nilnil // no proxy
	}
	names := []string{"http_proxy", "HTTP_PROXY"}
	if secure {
		names = append([]string{"https_proxy", "HTTPS_PROXY"}, names...)
	}
	for _, name := range names {
		text, _ := env(name)
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		at, err := url.Parse(text)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
			return nil, fmt.Errorf("the variable %s is no URL of a proxy and is not used", name)
		}
		return &url.URL{Scheme: at.Scheme, User: at.User, Host: at.Host}, nil
	}
	return nil, nil //nolint:nilnil // no proxy
}
