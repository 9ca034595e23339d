package file

import (
	"path/filepath"
	"strings"
)

// Names of files are made from keys so that any system accepts them and a name determines its
// key. Most bytes stand for themselves, and others are escaped. "%-" continues a long part of a key in
// a folder, and "%" at the end marks the file, so that keys "a" and "a/b" are both possible.
const (
	maxElement = 200 // bytes of a name
	more       = "%-"
	leaf       = "%"
	hexDigits  = "0123456789abcdef"
)

// plain are the bytes that stand for themselves, besides letters and digits.
const plain = "-_=+@,~"

// pathOf returns the path of a key's file, relative to the folder.
func pathOf(key string) string {
	parts := strings.Split(key, "/")
	for i, part := range parts {
		parts[i] = escape(part)
	}
	return filepath.FromSlash(strings.Join(parts, "/") + leaf)
}

// escape returns the name of one part of a key. A long one becomes several folders.
func escape(part string) string {
	var name strings.Builder
	last := 0 // where the last element begins
	for i := range len(part) {
		if name.Len()-last >= maxElement {
			name.WriteString(more + "/")
			last = name.Len()
		}
		c := part[i]
		inside := i > 0 && i < len(part)-1 // a dot at the beginning or end has a meaning
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(plain, c) >= 0, c == '.' && inside:
			name.WriteByte(c)
		default:
			name.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	if part == "" || reserved(part) {
		return "%_" + name.String()
	}
	return name.String()
}

// reserved reports whether a part of a key is the name of a device on Windows.
func reserved(part string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(part), ".")
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt"))
}

// keyOf returns the key of a path. ok is false for files that are not blobs.
func keyOf(path string) (key string, ok bool) {
	name, ok := strings.CutSuffix(filepath.ToSlash(path), leaf)
	if !ok {
		return "", false
	}
	name = strings.ReplaceAll(name, more+"/", "")
	var text strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			text.WriteByte(name[i])
			continue
		}
		if i+1 < len(name) && name[i+1] == '_' {
			i++
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		high, low := strings.IndexByte(hexDigits, name[i+1]), strings.IndexByte(hexDigits, name[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		text.WriteByte(byte(high<<4 | low)) //nolint:gosec // both are below 16
		i += 2
	}
	return text.String(), true
}
