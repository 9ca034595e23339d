package config

// Secret is a setting that is never shown, and where it is set.
type Secret struct{ Key, From string }

// SecretsIn returns the settings whose values are never shown, in the order of their keys.
func SecretsIn(settings Settings) []Secret {
	var found []Secret
	all := newTable()
	for _, name := range settings.keys() {
		if k := all.find(name); k != nil && k.Secret && settings.isSet(name) {
			found = append(found, Secret{Key: name, From: settings[name].From})
		}
	}
	return found
}
