package yaml

// eof stands for the end of the text, which itself cannot contain it.
const eof = rune(0)

const byteOrderMark = "\ufeff"

// Classes of characters, as bits of charClass for those of ASCII.
const (
	classBreak = 1 << iota // ends a line; the end of the text counts
	classBlank             // space
	classTab
	classWord // part of an anchor's or a directive's name
	classURI  // part of a tag
	classFlow // ends a plain scalar in a flow collection, or the ':' before it
	classDigit
)

//nolint:gochecknoglobals // a table that never changes
var charClass = makeCharClass()

func makeCharClass() (class [128]byte) {
	set := func(chars string, bit byte) {
		for i := range len(chars) {
			class[chars[i]] |= bit
		}
	}
	const word = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	set("\x00\r\n", classBreak)
	set(" ", classBlank)
	set("\t", classTab)
	set(word, classWord)
	set(word+"-;/?:@&=+$,_.!~*'()[]%", classURI)
	set(",[]{}", classFlow)
	set("0123456789", classDigit)
	return class
}

func has(r rune, bits byte) bool {
	if r < 128 {
		return charClass[r]&bits != 0
	}
	return bits&classBreak != 0 && (r == '\u0085' || r == '\u2028' || r == '\u2029')
}

func isBreak(r rune) bool        { return has(r, classBreak) }
func isBlankOrBreak(r rune) bool { return has(r, classBreak|classBlank) }
func isSpaceOrBreak(r rune) bool { return has(r, classBreak|classBlank|classTab) }

// isPrintable reports whether YAML allows a character (language L10).
func isPrintable(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0x7f:
		return true
	default:
		return r == 0x85 || 0xa0 <= r && r <= 0xfffd || r >= 0x10000
	}
}
