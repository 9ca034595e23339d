package config

import (
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Setting is the text of one setting and, for messages, where it is set: the path of a file, the name
// of a variable or an option of the command line.
type Setting struct{ Value, From string }

// Settings are all settings by key, merged from their sources (server 1.5).
type Settings map[string]Setting

// Get returns the text of a setting and whether there is one.
func (s Settings) Get(key string) (string, bool) {
	setting, found := s[key]
	return setting.Value, found
}

// All yields all settings in the order of their keys.
func (s Settings) All() iter.Seq2[string, string] { return s.Prefix("") }

// Prefix yields the settings whose keys begin with a prefix, in the order of their keys, which are
// given without the prefix.
func (s Settings) Prefix(prefix string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, key := range s.keys() {
			rest, found := strings.CutPrefix(key, prefix)
			if found && !yield(rest, s[key].Value) {
				return
			}
		}
	}
}

// keys returns the sorted keys, so that messages have a stable order.
func (s Settings) keys() []string { return slices.Sorted(maps.Keys(s)) }

// isSet reports whether a key has a non-empty text.
func (s Settings) isSet(key string) bool { return s[key].Value != "" }

// Warning is a problem with a setting that does not keep the server from starting.
type Warning struct {
	Level   slog.Level // slog.LevelWarn, or slog.LevelError where Digdag logs an error
	Key     string
	From    string
	Message string // a sentence that does not begin with the key
}

// String returns the Warning in one line.
func (w Warning) String() string {
	text := w.Key
	if w.From != "" {
		text += " (" + w.From + ")"
	}
	return text + ": " + w.Message
}

// under returns the rest of a key below a prefix that ends with a dot.
func under(key, prefix string) (rest string, found bool) {
	rest, found = strings.CutPrefix(key, prefix)
	return rest, found && rest != ""
}
