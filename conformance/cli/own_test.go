package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A case of our own is a recorded one with other settings of the server: everything else is as it was
// recorded.
func TestOwnCasesAreRecorded(t *testing.T) {
	t.Parallel()
	const config = ` "config": ["tasklog.mask_secrets = false"],` + "\n"
	recorded, own := filepath.Join("cases", "secrets-project"), filepath.Join("own", "secrets-project-unmasked")
	want, got := treeOf(t, recorded), treeOf(t, own)
	if !strings.Contains(string(got["case.json"]), config) {
		t.Errorf("%s/case.json has no %q", own, config)
	}
	got["case.json"] = []byte(strings.Replace(string(got["case.json"]), config, "", 1))
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("%s/%s differs from what was recorded", own, name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s/%s was not recorded", own, name)
	}
}

// treeOf reads all files below a folder, by their paths in it.
func treeOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each case that differs on purpose is there, and is listed with its reason in docs/compatibility.md.
func TestDiffersAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "differs"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"rest": filepath.Join("..", "cases"), "cli": "cases", "wire": filepath.Join("..", "wire", "cases")}
	for line := range strings.Lines(string(text)) {
		name, reason, ok := strings.Cut(strings.TrimSpace(line), ": ")
		suite, of, _ := strings.Cut(name, "/")
		if !ok || reason == "" || folders[suite] == "" {
			t.Errorf("%q: want SUITE/CASE: reason", line)
			continue
		}
		golden := "golden.json"
		if suite == "wire" {
			golden = "expected.json"
		}
		if _, err := os.Stat(filepath.Join(folders[suite], of, golden)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/compatibility.md does not name `%s`", name)
		}
	}
}
