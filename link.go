package trowel

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Limits of the links of one try.
const (
	MaxLinks    = 10   // links
	maxLinkName = 100  // characters of a name
	maxLinkURL  = 2048 // bytes of a URL
)

// Link leads people to a page about what a try has started or used outside, such as the page of a job.
type Link struct {
	Name string `json:"name"` // what the page shows, such as "td job 1234"
	URL  string `json:"url"`  // an absolute URL of http or https
}

// Check returns an error unless the link can be shown. It never quotes the URL, which may be wrong because it
// contains a secret.
func (l Link) Check() error {
	switch {
	case l.Name == "" || utf8.RuneCountInString(l.Name) > maxLinkName:
		return fmt.Errorf("its name must have 1 to %d characters", maxLinkName)
	case !utf8.ValidString(l.Name) || strings.ContainsFunc(l.Name, isHidden):
		return errors.New("its name has characters that cannot be shown")
	case len(l.URL) > maxLinkURL:
		return fmt.Errorf("its URL has %d bytes, and may have %d", len(l.URL), maxLinkURL)
	case !utf8.ValidString(l.URL) || strings.ContainsFunc(l.URL, isHidden) || strings.Contains(l.URL, " "):
		return errors.New("its URL has characters that a URL cannot have")
	}
	address, err := url.Parse(l.URL)
	switch {
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		return errors.New("its URL must begin with http:// or https:// and a host")
	case address.User != nil:
		return errors.New("its URL must not name a user")
	}
	return nil
}

func isHidden(r rune) bool { return !IsShown(r) }
