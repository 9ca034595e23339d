package config

import (
	"fmt"
	"strings"
)

// documentHead is the part of docs/configuration.md that is not generated from the tables.
const documentHead = `# Settings of a server

<!-- Made from the tables in internal/config by: go test ./internal/config -run Document -update -->

` + "`trowel server`" + ` reads Digdag's property files as they are. The sources, from the weakest to the strongest:

1. without ` + "`-c`" + `: the file that ` + "`TROWEL_CONFIG`" + ` names, or the first that exists of ` + "`~/.config/trowel/config`" + `
   and Digdag's ` + "`~/.config/digdag/config`" + `;
2. the text in the variable ` + "`DIGDAG_CONFIG`" + `;
3. ` + "`-X KEY=VALUE`" + `;
4. the file of ` + "`-c FILE`" + `;
5. options that stand for a key, as ` + "`--port`" + ` for ` + "`server.port`" + `.

A wrong value keeps the server from starting; the message names key, value, where it stands and what is allowed. A key that
nobody knows is a warning with the key that may have been meant, and so is one of Digdag's that Trowel does not heed: those are
listed in [compatibility.md](compatibility.md).

A *duration* is written with units, as in ` + "`1d`, `1h 30m` or `30s`" + `. *Seconds* and *milliseconds* are plain numbers, as in Digdag, or
durations. A key that ends with ` + "`NAME`" + ` stands for all keys below it.
`

// Document returns the text of docs/configuration.md.
func Document() string {
	var doc strings.Builder
	doc.WriteString(documentHead)
	for _, group := range Groups() {
		fmt.Fprintf(&doc, "\n## %s\n\n| key | form | default | meaning |\n|---|---|---|---|\n", group.Title)
		for i := range group.Keys {
			k := &group.Keys[i]
			fallback := ""
			if k.Default != "" {
				fallback = "`" + k.Default + "`"
			}
			fmt.Fprintf(&doc, "| `%s` | %s | %s | %s |\n", k.Name, k.Kind, fallback, k.Doc)
		}
	}
	return doc.String()
}
