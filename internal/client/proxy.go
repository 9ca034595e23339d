package client

import "net/url"

// textProxyCredentials is Digdag's warning about credentials in the address of a proxy (server 1.7.2).
const textProxyCredentials = "HTTP proxy authentication not supported. Ignoring proxy username and password."

// proxyOf returns the proxy for a scheme, or nil (server 1.7.2). It does not use the standard library's
// rules, as Digdag does not know no_proxy and also sends requests to this machine through the proxy.
// An invalid address is ignored.
func proxyOf(scheme string, lookup func(string) (string, bool), warn func(string)) *url.URL {
	names := []string{"http_proxy", "HTTP_PROXY"}
	if scheme == "https" {
		names = []string{"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"}
	}
	for _, name := range names {
		text, set := lookup(name)
		if !set || text == "" {
			continue
		}
		proxy, err := url.Parse(text)
		if err != nil || proxy.Hostname() == "" || (proxy.Scheme != "http" && proxy.Scheme != "https") {
			return nil
		}
		if proxy.User != nil {
			warn(textProxyCredentials)
		}
		return &url.URL{Scheme: proxy.Scheme, Host: proxy.Host}
	}
	return nil
}
