package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// links returns those of a run's links that can be shown, each once. The log says which ones are left out, without the
// URL, which may contain a secret.
func (t *try) links(all []trowel.Link, log *slog.Logger) []trowel.Link {
	var shown []trowel.Link
	for _, link := range all {
		err := link.Check()
		switch {
		case err != nil:
		case t.given.In(link.Name) || t.given.In(link.URL) || t.given.In(unescaped(link.URL)):
			err = errors.New("it contains a secret")
		case slices.Contains(shown, link):
			continue
		case len(shown) == trowel.MaxLinks:
			err = fmt.Errorf("a try has up to %d of them", trowel.MaxLinks)
		}
		if err != nil {
			log.Warn("a link of the task is left out", slog.Any("reason", err))
			continue
		}
		shown = append(shown, link)
	}
	return shown
}

func unescaped(address string) string {
	if plain, err := url.PathUnescape(address); err == nil {
		return plain
	}
	return address
}
