package builtin_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/operator/builtin"
)

// Every setting that operators read is checked by the server, and none is checked that nobody reads.
func TestSettingsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	given := map[string]string{
		"config.http.proxy.enabled": "true", "config.http.proxy.host": "h", "config.http.proxy.port": "1", "config.mail.host": "h",
		"config.mail.port": "1", "param_server.type": "redis",
	}
	_, err := builtin.Read(func(key string) (string, bool) {
		read[key] = true
		value, found := given[key]
		return value, found
	}, func(string) (string, bool) { return "", false }, "")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, group := range config.Groups() {
		for _, key := range group.Keys {
			if operators := strings.HasPrefix(key.Name, "config.") || strings.HasPrefix(key.Name, "param_server."); operators && !strings.HasSuffix(key.Name, ".NAME") {
				known = append(known, key.Name)
			}
		}
	}
	slices.Sort(known)
	if diff := cmp.Diff(known, slices.Sorted(maps.Keys(read))); diff != "" {
		t.Errorf("settings (-internal/config/keys_other.go +internal/operator/builtin/settings.go):\n%s", diff)
	}
}
