package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A project whose schedule has an option that nobody reads is refused, at the first load and at each that
// follows (language S10): nothing is stored, which would need the server that is not there.
func TestLocalFolderUnknownOption(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]string{
		"skip_on_over_time: true": "Parameter 'skip_on_over_time' is not used at schedule. > Did you mean '[skip_on_overtime]'?",
		"skip_delayd_by: 1h":      "Parameter 'skip_delayd_by' is not used at schedule.",
		"wrong>: 1":               "Parameter 'wrong>' is not used at schedule.",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "w.dig")
		if err := os.WriteFile(file, []byte("schedule:\n  minutes_interval>: 1\n  "+option+"\n+a: {echo>: a}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &localFolder{dir: dir, revision: 1, stored: "what was loaded before"}
		for range 2 {
			if err := f.load(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("load with %s: %v, want %s", option, err, want)
			}
		}
	}
}
