package secret

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// The smallest number of characters in a value that is masked in texts. Masking shorter ones would hide
// too much that is not a secret.
const (
	OwnChars    = 4 // in Trowel's own log, errors, audit and answers
	OutputChars = 8 // in the output of tasks (design, section 9)
)

// Mask replaces the secrets that it knows in texts by "********": each value as it is and in its
// escaped forms in JSON and URLs, and each long line of a value with several lines. Secrets
// that overlap are replaced as one. It is safe for concurrent use. A value that is added is masked from
// then on.
type Mask struct {
	minChars int

	mu    sync.Mutex // held while adding
	forms atomic.Pointer[forms]
}

// forms are the texts to replace, by their first byte, longest first. They never change.
type forms struct {
	byFirst [256][]string
	known   map[string]bool
}

// plain returns how many bytes at the beginning of data neither belong to a form nor begin one.
func (f *forms) plain(data []byte) int {
	if len(f.known) == 0 {
		return len(data)
	}
	for i, b := range data {
		if f.byFirst[b] != nil {
			return i
		}
	}
	return len(data)
}

// NewMask returns a Mask for values of at least minChars characters, without the space around
// them.
func NewMask(minChars int) *Mask {
	m := &Mask{minChars: minChars}
	m.forms.Store(&forms{})
	return m
}

// Add adds secrets.
func (m *Mask) Add(values ...Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.forms.Load()
	var fresh []string
	for _, value := range values {
		for _, form := range formsOf(value.Reveal()) {
			if utf8.RuneCountInString(form) >= m.minChars && !old.known[form] && !slices.Contains(fresh, form) {
				fresh = append(fresh, form)
			}
		}
	}
	if len(fresh) > 0 {
		m.forms.Store(old.with(fresh))
	}
}

// formsOf returns the texts in which a value can appear.
func formsOf(value string) []string {
	value = strings.TrimSpace(value)
	all := []string{value}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	for _, form := range all {
		asJSON := param.JSON(form)
		all = append(all, asJSON[1:len(asJSON)-1], url.QueryEscape(form), url.PathEscape(form))
	}
	return all
}

// with returns the forms and fresh ones.
func (f *forms) with(fresh []string) *forms {
	next := &forms{byFirst: f.byFirst, known: map[string]bool{}}
	for form := range f.known {
		next.known[form] = true
	}
	for _, form := range fresh {
		next.known[form] = true
		same := append(slices.Clone(next.byFirst[form[0]]), form)
		slices.SortFunc(same, func(a, b string) int { return len(b) - len(a) })
		next.byFirst[form[0]] = same
	}
	return next
}

// at returns how many bytes at the beginning of data are covered by a form. open is set if more data
// could make that another or a longer form.
func (f *forms) at(data []byte) (covered int, open bool) {
	for _, form := range f.byFirst[data[0]] {
		switch {
		case len(form) > len(data):
			open = open || form[:len(data)] == string(data)
		case covered == 0 && form == string(data[:len(form)]):
			covered = len(form)
		}
	}
	return covered, open
}

// Text returns a text with masked secrets.
func (m *Mask) Text(text string) string {
	var out strings.Builder
	w := Writer{mask: m, to: &out}
	_, _ = w.Write([]byte(text)) // a Builder takes everything
	_ = w.Close()
	return out.String()
}

// Has reports whether a text contains one of the secrets.
func (m *Mask) Has(text string) bool {
	forms, data := m.forms.Load(), []byte(text)
	for i := range data {
		if covered, _ := forms.at(data[i:]); covered > 0 {
			return true
		}
	}
	return false
}

// Finder returns a Finder that adds what another one finds to the Mask. So a secret is masked
// as soon as somebody has it.
func (m *Mask) Finder(next Finder) Finder { return &maskedFinder{mask: m, next: next} }

type maskedFinder struct {
	mask *Mask
	next Finder
}

func (f *maskedFinder) Find(ctx context.Context, key string) (Value, bool, error) {
	value, found, err := f.next.Find(ctx, key)
	if found && err == nil {
		f.mask.Add(value)
	}
	return value, found, err
}
