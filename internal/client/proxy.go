package client

import "net/url"

// The warning about credentials in the address of a proxy, as Digdag has it (server 1.7.2).
const textProxyCredentials = "HTTP proxy authentication not supported. Ignoring proxy username and password."

// proxyOf returns the proxy for a scheme, nil for none (server 1.7.2). The standard library's rules
// are not used: Digdag knows no no_proxy and sends requests to this machine through the proxy, too.
// An address that makes no sense is ignored.
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
