package yaml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// tree writes nodes with their places as "line:column kind tag value".
func tree(n *yaml.Node, indent string) string {
	text := fmt.Sprintf("%s%d:%d %s %s %q", indent, n.Start.Line+1, n.Start.Column+1, n.Kind, n.Tag, n.Value)
	if n.Plain {
		text += " plain"
	}
	if n.Anchored {
		text += " anchored"
	}
	text += "\n"
	for _, child := range n.Children {
		text += tree(child, indent+"  ")
	}
	return text
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	const text = "# comment\n+a:\n  é: &x !!str 'b'\n  list:\n  - *x\n  - [1, {k: }]\n  -\n"
	doc, err := yaml.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := `2:1 mapping  ""
  2:1 scalar  "+a" plain
  3:3 mapping  ""
    3:3 scalar  "é" plain
    3:6 scalar tag:yaml.org,2002:str "b" anchored
    4:3 scalar  "list" plain
    5:3 sequence  ""
      3:6 scalar tag:yaml.org,2002:str "b" anchored
      6:5 sequence  ""
        6:6 scalar  "1" plain
        6:9 mapping  ""
          6:10 scalar  "k" plain
          6:12 scalar  "" plain
      7:4 scalar  "" plain
`
	if diff := cmp.Diff(want, tree(doc.Root, "")); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
}

// L11: a text without a document has no root.
func TestNoDocument(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n\n", "# comment", "\ufeff"} {
		doc, err := yaml.Parse(text)
		if err != nil || doc.Root != nil {
			t.Errorf("Parse(%q) = %v, %v, want no root", text, doc, err)
		}
	}
}

// Messages show the content of SnakeYAML's buffer: chunks of 1,024 characters.
func TestErrors(t *testing.T) {
	t.Parallel()
	long := "key: " + strings.Repeat("word ", 200) + "end: x\n"
	tests := []struct {
		name, text, kind, place, message string
	}{
		{
			"context and problem", "a:\n  b: [1, 2\n", yaml.KindParser, "3:1",
			"while parsing a flow sequence\n in 'string', line 2, column 6:\n      b: [1, 2\n         ^\n" +
				"expected ',' or ']', but got <stream end>\n in 'string', line 3, column 1:\n    \n    ^\n",
		},
		{
			"a long line is cut", long, yaml.KindScanner, "1:1009",
			"mapping values are not allowed here\n in 'string', line 1, column 1009:\n" +
				"     ... ord word word word word word end: x\n" + "                                         ^\n",
		},
		{"a control character", "a: b\nc: \x01", yaml.KindReader, "2:4", "special characters are not allowed"},
		{"too deep", strings.Repeat("[", 1001), yaml.KindLimit, "1:1001", ""},
		{"an alias within its value", "a: &x [*x]", yaml.KindLimit, "1:8", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := yaml.Parse(tt.text)
			failure, ok := errors.AsType[*yaml.Error](err)
			if !ok {
				t.Fatalf("Parse: %v, want an *Error", err)
			}
			place := fmt.Sprintf("%d:%d", failure.Place.Line+1, failure.Place.Column+1)
			if failure.Kind != tt.kind || place != tt.place {
				t.Errorf("Parse: %s at %s, want %s at %s: %v", failure.Kind, place, tt.kind, tt.place, err)
			}
			if diff := cmp.Diff(tt.message, failure.Error()); diff != "" && tt.message != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// For Java's reader the beginning of a truncated character is one wrong character.
func TestTextThatIsNoUTF8(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\xffb": "a\ufffdb", "\xe2\x80x": "\ufffdx", "\xf0\x9f\x98": "\ufffd", "\xc3": "\ufffd", "\xe4\xff\xff": "\ufffd\ufffd\ufffd",
	} {
		doc, err := yaml.Parse(text)
		if err != nil || doc.Root.Value != want {
			t.Errorf("Parse(%q) = %v, %v, want %q", text, doc, err, want)
		}
	}
}
