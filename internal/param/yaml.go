package param

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// yamlWidth is the column from which long texts are split at spaces. yamlKey is the number of
// UTF-16 units from which a key needs a "?".
const (
	yamlWidth = 80
	yamlKey   = 128
)

// AppendYAML appends the YAML text of a value, with a line break at the end. It is the form in which Digdag writes
// status files and shows values to people (server 1.9.2, 1.9.3). Texts are in double quotes and split
// at 80 columns, keys have no quotes where that is possible, and lists are not indented below
// their key. Each line begins with indent spaces, which do not count as columns.
func AppendYAML(dst []byte, v Value, indent int) []byte {
	w := yamlWriter{dst: append(dst, strings.Repeat(" ", indent)...), margin: indent}
	w.line = len(w.dst)
	w.value(v, yamlPlace{})
	return append(w.dst, '\n')
}

// yamlWriter appends YAML. It is inside the line that begins at offset line.
type yamlWriter struct {
	dst    []byte
	line   int // offset of the first column of the present line
	margin int
}

// yamlPlace says where a value stands.
type yamlPlace struct {
	indent int  // columns of the collection that it belongs to
	nested bool // it belongs to a collection
	inline bool // a collection begins in the same line, after "- " or after ": " of a key with "?"
}

// newLine begins a line with indentation.
func (w *yamlWriter) newLine(columns int) {
	w.dst = append(w.dst, '\n')
	w.dst = append(w.dst, strings.Repeat(" ", w.margin)...)
	w.line = len(w.dst)
	w.dst = append(w.dst, strings.Repeat(" ", columns)...)
}

// column returns the position in the line, in UTF-16 units.
func (w *yamlWriter) column() int { return utf16Len(string(w.dst[w.line:])) }

func (w *yamlWriter) value(v Value, at yamlPlace) {
	switch v := v.(type) {
	case *Map:
		if v.Len() == 0 {
			w.scalar("{}", at)
			return
		}
		w.mapping(v, at)
	case List:
		if len(v) == 0 {
			w.scalar("[]", at)
			return
		}
		w.list(v, at)
	case string:
		w.space(at)
		w.quoted(v, at)
	default:
		w.scalar(JSON(v), at)
	}
}

// space separates a value from what is before it in the line.
func (w *yamlWriter) space(at yamlPlace) {
	if at.nested && !bytes.HasSuffix(w.dst, []byte(" ")) {
		w.dst = append(w.dst, ' ')
	}
}

func (w *yamlWriter) scalar(text string, at yamlPlace) {
	w.space(at)
	w.dst = append(w.dst, text...)
}

func (w *yamlWriter) mapping(m *Map, at yamlPlace) {
	indent := at.indent
	if at.nested {
		indent += 2
	}
	first := true
	for key, value := range m.All() {
		if !first || at.nested && !at.inline {
			w.newLine(indent)
		} else if at.inline {
			w.space(at)
		}
		first = false
		inner := yamlPlace{indent: indent, nested: true}
		if isSimpleKey(key) {
			w.key(key)
			w.dst = append(w.dst, ':')
		} else {
			w.dst = append(w.dst, "? "...)
			w.key(key)
			w.newLine(indent)
			w.dst = append(w.dst, ':')
			inner.inline = true
		}
		w.value(value, inner)
	}
}

func (w *yamlWriter) list(list List, at yamlPlace) {
	indent := at.indent
	if at.inline {
		indent += 2
	}
	for i, element := range list {
		if i > 0 || at.nested && !at.inline {
			w.newLine(indent)
		} else if at.inline {
			w.space(at)
		}
		w.dst = append(w.dst, '-')
		w.value(element, yamlPlace{indent: indent, nested: true, inline: true})
	}
}

// quoted writes a text in double quotes, over several lines if it is long. A line beyond the width
// ends before a space or after an escape. Positions in the text are counted in UTF-16 units.
func (w *yamlWriter) quoted(text string, at yamlPlace) {
	w.dst = append(w.dst, '"')
	column := w.column()
	last := utf16Len(text) - 1
	escaped := false // the previous character was written as an escape
	for end, i := -1, 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		end += utf16Len(string(r))
		inside := 0 < end && end < last
		escape, ok := yamlEscape(r)
		switch {
		case ok:
			w.dst = append(w.dst, escape...)
			column += utf16Len(escape)
			if inside && column > yamlWidth+1 {
				column = w.splitText(at, text[i:])
			}
		default:
			if inside && column > yamlWidth && (r == ' ' || escaped) {
				column = w.splitText(at, text[i-size:])
			}
			w.dst = utf8.AppendRune(w.dst, r)
			column++
		}
		escaped = ok
	}
	w.dst = append(w.dst, '"')
}

// splitText continues in the next line, and returns the column. A space at its beginning is escaped, as it would
// count as indentation otherwise.
func (w *yamlWriter) splitText(at yamlPlace, rest string) int {
	w.dst = append(w.dst, '\\')
	w.newLine(at.indent + 2)
	if rest[0] == ' ' {
		w.dst = append(w.dst, '\\')
	}
	return w.column()
}

// yamlEscape returns the escape of a character between double quotes, if it needs one.
func yamlEscape(r rune) (string, bool) {
	switch {
	case ' ' <= r && r <= '~' && r != '"' && r != '\\':
		return "", false
	case r >= 0x10000:
		return fmt.Sprintf(`\U%08x`, r), true
	}
	const named = "\x00\a\b\t\n\v\f\r\x1b\"\\\u0085\u00a0\u2028\u2029"
	const names = `0abtnvfre"\N_LP`
	if i := strings.IndexRune(named, r); i >= 0 {
		return `\` + names[utf8.RuneCountInString(named[:i]):][:1], true
	}
	switch {
	case r < 0xa0:
		return fmt.Sprintf(`\x%02x`, r), true
	case r == 0xfffe || r == 0xffff:
		return fmt.Sprintf(`\u%04x`, r), true
	default:
		return string(r), true
	}
}

// isSimpleKey reports whether a key can stand before ": " without a "?".
func isSimpleKey(key string) bool {
	return key != "" && !strings.ContainsAny(key, "\n\u0085\u2028\u2029") && utf16Len(key) < yamlKey
}

// key writes a key without quotes if that is possible, else in single quotes, else in double quotes.
func (w *yamlWriter) key(key string) {
	plain, single := keyStyles(key)
	switch {
	case isReservedKey(key):
		w.dst = append(w.dst, '"')
		w.dst = append(w.dst, key...)
		w.dst = append(w.dst, '"')
	case plain:
		w.dst = append(w.dst, key...)
	case single:
		w.dst = append(w.dst, '\'')
		w.dst = append(w.dst, strings.ReplaceAll(key, "'", "''")...)
		w.dst = append(w.dst, '\'')
	default:
		w.dst = append(w.dst, '"')
		for _, r := range key {
			if escape, ok := yamlEscape(r); ok {
				w.dst = append(w.dst, escape...)
			} else {
				w.dst = utf8.AppendRune(w.dst, r)
			}
		}
		w.dst = append(w.dst, '"')
	}
}

// keyStyles reports whether a key can stand without quotes, and in single quotes.
func keyStyles(key string) (plain, single bool) {
	if key == "" {
		return false, true // Digdag writes nothing here, which is read as null
	}
	for _, r := range key {
		printable := ' ' <= r && r <= '~' || r >= 0xa0 && r != 0xfffe && r != 0xffff
		if !printable || r == '\u2028' || r == '\u2029' {
			return false, false
		}
	}
	second := key[1:] == "" || key[1] == ' '
	plain = !strings.HasPrefix(key, " ") && !strings.HasSuffix(key, " ") &&
		!strings.HasPrefix(key, "---") && !strings.HasPrefix(key, "...") &&
		!strings.ContainsAny(key[:1], "#,[]{}&*!|>'\"%@`") &&
		(!second || !strings.ContainsAny(key[:1], "?:-")) &&
		!strings.Contains(key[1:], ": ") && !strings.HasSuffix(key, ":") && !strings.Contains(key, " #")
	return plain, true
}

// isReservedKey reports whether Digdag's writer puts a key in double quotes because it could be read
// as a boolean. The writer misses some.
func isReservedKey(key string) bool {
	switch key {
	case "true", "True", "TRUE", "false", "yes", "Yes", "YES", "no", "No", "on", "On", "ON", "off", "Off":
		return true
	default:
		return false
	}
}
