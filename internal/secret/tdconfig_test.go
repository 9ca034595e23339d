package secret_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/secret"
)

// Operators 8.1.
func TestReadTDConfig(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "td.conf")
	text := "[account]\n  user = me@example.com\n# apikey = old\n  apikey = 1/abc=\n  endpoint = https://api.treasuredata.co.jp\n" +
		"td.client.usessl=true\ntd.client.proxy.host=proxy\ntd.client.proxy.port=3128\nbroken\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"td.apikey": "1/abc=", "td.endpoint": "https://api.treasuredata.co.jp", "td.use_ssl": "true",
		"td.proxy.enabled": "true", "td.proxy.host": "proxy", "td.proxy.port": "3128",
	}
	if diff := cmp.Diff(want, secret.ReadTDConfig(file)); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	for _, missing := range []string{"", file + ".none", t.TempDir()} {
		if got := secret.ReadTDConfig(missing); len(got) > 0 {
			t.Errorf("ReadTDConfig(%q) = %v", missing, got)
		}
	}
	local := secret.NewLocal(secret.LocalOptions{First: secret.ReadTDConfig(file), Properties: map[string]string{"td.apikey": "other", "td.database": "db"}})
	for key, want := range map[string]string{"td.apikey": "1/abc=", "td.database": "db"} {
		if got, found, err := local.Find(t.Context(), key); err != nil || !found || got.Reveal() != want {
			t.Errorf("Find(%s) = %q, %v, %v, want %q", key, got.Reveal(), found, err, want)
		}
	}
}
