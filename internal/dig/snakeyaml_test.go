package dig

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// TestSnakeYAML reads texts and compares with testdata/snakeyaml.jsonl, which has the results of SnakeYAML 1.23
// with Digdag's tags, followed by Jackson: "OK" and JSON text, or "ERR", the exception and its
// message. Lines are never edited (language L10 to L23).
func TestSnakeYAML(t *testing.T) {
	t.Parallel()
	exceptions := map[string]string{
		KindScanner: "Scanner", KindParser: "Parser", KindComposer: "Composer", KindReader: "Reader",
		KindConstructor: "Constructor", KindTag: "Tag", KindYAML: "YAML", KindDuplicateKey: "DuplicateKeyYAML",
		KindNumber: "NumberFormat", KindObjectMapping: "RuntimeJsonMapping", KindIllegalArgument: "IllegalArgument",
		kindNoFirst: "StringIndexOutOfBounds",
	}
	file, err := os.Open("testdata/snakeyaml.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(file)
	count := 0
	for lines.Scan() {
		var recorded struct{ In, Out string }
		if err := json.Unmarshal(lines.Bytes(), &recorded); err != nil {
			t.Fatal(err)
		}
		count++
		document, failure := readYAML(recorded.In)
		var object *param.Map
		if failure == nil {
			object, failure = document.object()
		}
		got := "OK " + param.JSON(object)
		if failure != nil {
			got = "ERR " + exceptions[failure.Kind] + ": " + failure.Message
		}
		if got != recorded.Out {
			t.Errorf("%q\n got %q\nwant %q", recorded.In, got, recorded.Out)
		}
	}
	if err := lines.Err(); err != nil || count < 400 {
		t.Errorf("read %d lines, %v, want at least 400", count, err)
	}
}
