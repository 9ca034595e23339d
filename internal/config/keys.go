package config

import "strings"

// Key is one row of the tables, a setting that Trowel knows.
type Key struct {
	Name    string // one that ends with ".NAME" stands for all keys below it
	Kind    string
	Default string // in the form in which it is written; empty for none
	Doc     string // a phrase
	Secret  bool   // its value is never shown

	set func(s *Server, name, text string) error // reads a text and stores it
}

// Group has the keys about one subject.
type Group struct {
	Title string
	Keys  []Key
}

// Groups returns all settings of a server, in the order of docs/configuration.md.
func Groups() []Group {
	return []Group{
		{"Addresses and HTTP", listenKeys()},
		{"Authentication", authKeys()},
		{"API", apiKeys()},
		{"Web UI", uiKeys()},
		{"Database", databaseKeys()},
		{"Attempts and schedules", engineKeys()},
		{"Agent", agentKeys()},
		{"Archives of projects", archiveKeys()},
		{"Logs of tasks", logKeys()},
		{"Secrets", secretKeys()},
		{"Notifications", notificationKeys()},
		{"Operators", operatorKeys()},
		{"Miscellaneous", otherKeys()},
	}
}

// key returns a row whose value is stored in one place.
func key[T any](name string, form kind[T], fallback, doc string, place func(*Server) *T) Key {
	return Key{Name: name, Kind: form.name, Default: fallback, Doc: doc, set: func(s *Server, _, text string) error {
		value, err := form.parse(text)
		if err != nil {
			return err
		}
		*place(s) = value
		return nil
	}}
}

// hidden marks a row whose value is never shown.
func hidden(k Key) Key {
	k.Secret = true
	return k
}

// keysBelow returns a row for all keys below a name. Their texts are stored in a map, by the rest of the key.
func keysBelow(name, doc string, place func(*Server) *map[string]string) Key {
	prefix := strings.TrimSuffix(name, "NAME")
	return Key{Name: name, Kind: "text", Doc: doc, set: func(s *Server, name, text string) error {
		to := place(s)
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[strings.TrimPrefix(name, prefix)] = text
		return nil
	}}
}

// checked returns a row whose text is checked here and read by its operator.
func checked[T any](name string, form kind[T], fallback, doc string) Key {
	return Key{Name: name, Kind: form.name, Default: fallback, Doc: doc, set: func(s *Server, _, text string) error {
		_, err := form.parse(text)
		s.Operators[name] = text
		return err
	}}
}

// elsewhere returns a row for keys that other commands or packages read.
func elsewhere(name, doc string) Key {
	return Key{Name: name, Kind: "text", Doc: doc, set: func(*Server, string, string) error { return nil }}
}

// matches reports whether a row describes a key.
func (k *Key) matches(name string) bool {
	if prefix, ok := strings.CutSuffix(k.Name, "NAME"); ok {
		_, found := under(name, prefix)
		return found
	}
	return k.Name == name
}
