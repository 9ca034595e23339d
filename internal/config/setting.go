package config

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Setting is the text of one setting and where it stands, for messages: the path of a file, the name
// of a variable or an option of the command line.
type Setting struct{ Value, From string }

// Settings are all settings by key, merged from their sources (server 1.5).
type Settings map[string]Setting

// keys are the keys in order, so that messages do not change their order.
func (s Settings) keys() []string { return slices.Sorted(maps.Keys(s)) }

// isSet reports whether a key has a text that is not empty.
func (s Settings) isSet(key string) bool { return s[key].Value != "" }

// Warning is something about a setting that does not keep the server from starting.
type Warning struct {
	Level   slog.Level // slog.LevelWarn, or slog.LevelError where Digdag logs an error
	Key     string
	From    string
	Message string // a sentence that does not begin with the key
}

// String returns all of a Warning in one line.
func (w Warning) String() string {
	text := w.Key
	if w.From != "" {
		text += " (" + w.From + ")"
	}
	return text + ": " + w.Message
}

// under is the rest of a key below a prefix that ends with a dot.
func under(key, prefix string) (rest string, found bool) {
	rest, found = strings.CutPrefix(key, prefix)
	return rest, found && rest != ""
}
