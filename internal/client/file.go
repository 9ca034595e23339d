package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// redirects is how many redirects to a file are followed (server 1.7.2).
const redirects = 10

// fetch opens a file, which the caller closes. The server may redirect to another address,
// which gets none of the user's headers, as it may belong to somebody else.
func (c *Client) fetch(ctx context.Context, address string, own bool) (io.ReadCloser, error) {
	for range redirects + 1 {
		var file io.ReadCloser
		var next string
		err := c.patiently(ctx, func() error {
			res, err := c.exchange(ctx, request{method: http.MethodGet, address: address, own: own})
			if err != nil {
				return err
			}
			if location := res.Header.Get("Location"); res.StatusCode/100 == 3 && location != "" {
				_ = res.Body.Close() // nothing in it is needed
				next, err = resolved(address, location)
				return err
			}
			if res.StatusCode != http.StatusOK {
				return closed(http.MethodGet, res)
			}
			file = res.Body
			return nil
		})
		if err != nil || file != nil {
			return file, err
		}
		address, own = next, false
	}
	return nil, fmt.Errorf("fetch a file: redirected more than %d times", redirects)
}

// resolved returns the address of a redirect.
func resolved(from, location string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", fmt.Errorf("follow a redirect: %w", err)
	}
	next, err := base.Parse(location)
	if err != nil {
		return "", fmt.Errorf("follow a redirect: %w", err)
	}
	if next.Scheme != "http" && next.Scheme != "https" {
		return "", errors.New("follow a redirect: it leads to neither http:// nor https://")
	}
	return next.String(), nil
}
