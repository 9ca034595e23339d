package config

import "strings"

// Effective is the effective value of one setting, for people.
type Effective struct {
	Key     string
	Value   string // masked if it is secret; the default if it is not set
	From    string // where it is set; empty if it is not set
	Default string
	Doc     string
}

// AllEffective returns all settings that Trowel knows, in the order of the tables. For rows with many
// keys it returns those that are set. Unknown and ignored settings are missing.
func AllEffective(settings Settings) []Effective {
	var all []Effective
	t := newTable()
	for i := range t.keys {
		all = append(all, effective(&t.keys[i], t.keys[i].Name, settings))
	}
	for _, name := range settings.keys() {
		if k := t.find(name); k != nil && strings.HasSuffix(k.Name, ".NAME") {
			all = append(all, effective(k, name, settings))
		}
	}
	return all
}

func effective(k *Key, name string, settings Settings) Effective {
	e := Effective{Key: name, Value: k.Default, Default: k.Default, Doc: k.Doc}
	setting, ok := settings[name]
	if !ok {
		return e
	}
	e.Value, e.From = setting.Value, setting.From
	if k.Secret && e.Value != "" {
		e.Value = masked
	}
	return e
}
