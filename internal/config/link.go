package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// linkPlace stands in the URL of a Link for the value.
const linkPlace = "{value}"

// aListOfLinks returns the kind of settings that are a JSON list of links. Pages show them, so they are http or https alone.
func aListOfLinks() kind[[]Link] {
	return kind[[]Link]{"JSON list", func(text string) ([]Link, error) {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		var links []Link
		if err := decoder.Decode(&links); err != nil || decoder.More() {
			return nil, errors.New(`use a JSON list of objects with match, title and url, as in [{"match":"td.last_job_id","title":"TD console","url":"https://example.com/{value}"}]`)
		}
		for i, l := range links {
			if err := l.check(); err != nil {
				return nil, fmt.Errorf("link %d: %w", i+1, err)
			}
		}
		return links, nil
	}}
}

func (l *Link) check() error {
	if l.Match == "" || l.Title == "" || l.URL == "" {
		return errors.New("match, title and url are needed")
	}
	place := strings.Index(l.URL, linkPlace)
	address, err := url.Parse(strings.ReplaceAll(l.URL, linkPlace, "value"))
	switch {
	case err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "":
		return fmt.Errorf("the url must begin with http:// or https:// and a host, got %q", l.URL)
	case address.User != nil:
		return errors.New("the url must have no user and password")
	case place >= 0 && place < len(address.Scheme+"://"+address.Host)+1:
		return fmt.Errorf("%s must stand behind the host of the url, got %q", linkPlace, l.URL)
	}
	return nil
}
