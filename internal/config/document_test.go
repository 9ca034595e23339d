package config_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/config"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

const documentFile = "../../docs/configuration.md"

func TestDocumentIsMadeOfTheTables(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile(documentFile, []byte(config.Document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Document(), strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("docs/configuration.md differs from the tables; run this test with -update (-want +got):\n%s", diff)
	}
}

// The documents describe ignored settings in the same words.
func TestUnsupportedIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range config.AllUnsupported() {
		message := strings.TrimSuffix(u.Message, "; the setting is ignored")
		if !strings.Contains(string(doc), "`"+u.Name+"`") || !strings.Contains(string(doc), message) {
			t.Errorf("docs/compatibility.md lacks `%s`: %s", u.Name, message)
		}
	}
}

func TestTablesAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, group := range config.Groups() {
		for _, k := range group.Keys {
			if seen[k.Name] {
				t.Errorf("%s stands twice in the tables", k.Name)
			}
			seen[k.Name] = true
			if strings.Contains(k.Doc, "|") {
				t.Errorf("%s: its text breaks the table of the document", k.Name)
			}
		}
	}
}
