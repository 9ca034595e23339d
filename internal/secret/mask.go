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

// How many characters a value has at least for it to be masked in texts. Shorter ones would blot out
// too much that is no secret.
const (
	OwnChars    = 4 // in Trowel's own log, errors, audit and answers
	OutputChars = 8 // in the output of tasks (design, section 9)
)

// Mask replaces the secrets that it knows in texts by "********": each value as it is and as it looks
// escaped in JSON or in a URL, and each long line of a value with several lines. What two secrets
// that overlap cover is replaced as one. It is safe for concurrent use, and what is added counts from
// then on.
type Mask struct {
	minChars int

	mu    sync.Mutex // held while adding
	forms atomic.Pointer[forms]
}

// forms are the texts to be replaced, by their first byte, longest first. They are not changed.
type forms struct {
	byFirst [256][]string
	known   map[string]bool
}

// NewMask returns a Mask for the values of at least minChars characters, not counting space around
// them.
func NewMask(minChars int) *Mask {
	m := &Mask{minChars: minChars}
	m.forms.Store(&forms{})
	return m
}

// Add makes secrets known.
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

// formsOf are the texts by which a value can be recognised.
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

// with returns the forms with more of them.
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

// at says how many bytes of data, from its beginning, a known form covers, and whether more data
// could tell of another or a longer one.
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

// Text returns a text with masks in place of the secrets.
func (m *Mask) Text(text string) string {
	var out strings.Builder
	w := Writer{mask: m, to: &out}
	_, _ = w.Write([]byte(text)) // a Builder takes everything
	_ = w.Close()
	return out.String()
}

// Has reports whether a text has one of the secrets in it.
func (m *Mask) Has(text string) bool {
	forms, data := m.forms.Load(), []byte(text)
	for i := range data {
		if covered, _ := forms.at(data[i:]); covered > 0 {
			return true
		}
	}
	return false
}

// Finder returns a Finder that makes what another one finds known to the Mask: a secret is masked
// from the moment on that somebody has it.
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
