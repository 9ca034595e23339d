package client

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// parseEndpoint reads an endpoint (server 1.7.1). It ignores what follows the port.
func parseEndpoint(text string) (*url.URL, error) {
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found:
		scheme, rest = "http", text
	case scheme != "http" && scheme != "https":
		return nil, fmt.Errorf("Endpoint must start with http:// or https://: %s", text) // Digdag's text
	}
	host, _, _ := strings.Cut(rest, "/")
	name := host
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		port := host[at+1:]
		name = host[:at]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("endpoint %s: the port must be a number from 1 to 65535, not %q", text, port)
		}
	}
	if strings.Contains(name, ":") && (!strings.HasPrefix(name, "[") || net.ParseIP(strings.Trim(name, "[]")) == nil) {
		return nil, fmt.Errorf("endpoint %s: an IPv6 address stands in brackets, as in http://[::1]:65432", text)
	}
	endpoint, err := url.Parse(scheme + "://" + host)
	if err != nil || endpoint.Hostname() == "" || endpoint.Host != host {
		return nil, fmt.Errorf("endpoint %q names no host: it must be http://HOST:PORT, https://HOST:PORT or HOST:PORT", text)
	}
	return endpoint, nil
}
