package template

import (
	"math"
	"strings"
)

// parseDate reads a date as Date.parse does: an ISO text, which means UTC unless it has an offset, or one of
// many other forms, which are local unless they have a zone (language T22a). It returns NaN for other texts.
func (env *environment) parseDate(text string) float64 {
	if t, ok := parseISO(text); ok {
		return clip(t)
	}
	p := dateParser{rest: text}
	if !p.parse() {
		return math.NaN()
	}
	local := p.fields.time()
	if p.hasOffset {
		return clip(local - p.offset)
	}
	return clip(toInstant(env.zone, local))
}

// parseISO reads YYYY, YYYY-MM or YYYY-MM-DD. T and a time of hours and minutes may follow, with
// optional seconds and fraction and an optional offset (ECMA-262 5.1, 15.9.1.15).
func parseISO(text string) (t float64, ok bool) {
	c := digits{rest: text, ok: true}
	f := fields{year: c.year(), month: 0, day: 1}
	if c.take('-') {
		f.month = c.number(2, 1, 12) - 1
		if c.take('-') {
			f.day = c.number(2, 1, 31)
		}
	}
	if !c.take('T') {
		return f.time(), c.ok && c.rest == ""
	}
	f.hours = c.number(2, 0, 24)
	c.expect(':')
	f.minutes = c.number(2, 0, 59)
	if c.take(':') {
		f.seconds = c.number(2, 0, 59)
		if c.take('.') {
			f.milliseconds = c.fraction()
		}
	}
	if f.hours == 24 && f.minutes+f.seconds+f.milliseconds > 0 {
		return 0, false
	}
	offset := c.offset()
	return f.time() - offset, c.ok && c.rest == ""
}

// digits reads numbers of fixed widths from a text.
type digits struct {
	rest string
	ok   bool
}

func (c *digits) take(b byte) bool {
	if c.rest == "" || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

func (c *digits) expect(b byte) { c.ok = c.take(b) && c.ok }

func (c *digits) number(width int, low, high float64) float64 {
	if len(c.rest) < width {
		c.ok = false
		return 0
	}
	n := 0.0
	for i := range width {
		b := c.rest[i]
		if b < '0' || b > '9' {
			c.ok = false
			return 0
		}
		n = n*10 + float64(b-'0')
	}
	c.rest = c.rest[width:]
	c.ok = c.ok && n >= low && n <= high
	return n
}

func (c *digits) year() float64 {
	switch {
	case c.take('+'):
		return c.number(6, 0, 999999)
	case c.take('-'):
		return -c.number(6, 1, 999999)
	default:
		return c.number(4, 0, 9999)
	}
}

// fraction reads the digits of a fraction of a second. It ignores those after the third.
func (c *digits) fraction() float64 {
	n, scale, read := 0.0, 100.0, 0
	for c.rest != "" && c.rest[0] >= '0' && c.rest[0] <= '9' {
		n += float64(c.rest[0]-'0') * scale
		scale = math.Floor(scale / 10)
		c.rest = c.rest[1:]
		read++
	}
	c.ok = c.ok && read > 0
	return n
}

// offset reads Z, +hh:mm, +hhmm or nothing, and returns milliseconds.
func (c *digits) offset() float64 {
	sign := 1.0
	switch {
	case c.rest == "" || c.take('Z'):
		return 0
	case c.take('+'):
	case c.take('-'):
		sign = -1
	default:
		c.ok = false
		return 0
	}
	hours := c.number(2, 0, 23)
	c.take(':')
	return sign * (hours*msPerHour + c.number(2, 0, 59)*msPerMinute)
}

// dateParser reads dates in other forms, such as "Jan 15, 2024 10:00 PM", "15 Jan 2024", "2024/1/15 10:00",
// "1/15/2024" and "Mon, 15 Jan 2024 10:00:00 GMT+0900 (JST)".
type dateParser struct {
	rest      string
	fields    fields
	numbers   []float64 // of the date, in the order of the text
	yearFirst bool
	month     float64 // by name; -1 if there is none
	hasClock  bool
	half      string // am or pm
	hasOffset bool
	offset    float64 // milliseconds
}

func (p *dateParser) parse() bool {
	p.month = -1
	for p.skip(); p.rest != ""; p.skip() {
		if !p.token() {
			return false
		}
	}
	return p.date() && p.clock()
}

// skip skips spaces, commas and remarks in parentheses.
func (p *dateParser) skip() {
	for p.rest != "" {
		switch p.rest[0] {
		case ' ', '\t', '\n', '\r', ',':
			p.rest = p.rest[1:]
		case '(':
			end := strings.IndexByte(p.rest, ')')
			if end < 0 {
				end = len(p.rest) - 1
			}
			p.rest = p.rest[end+1:]
		default:
			return
		}
	}
}

func (p *dateParser) token() bool {
	switch b := p.rest[0]; {
	case b >= '0' && b <= '9':
		return p.number()
	case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
		return p.word()
	case b == '+' || b == '-':
		if p.hasClock || p.hasOffset {
			return p.zoneOffset()
		}
		p.rest = p.rest[1:] // between parts of a date, as in 15-Jan-2024
		return b == '-' && (len(p.numbers) > 0 || p.month >= 0)
	case b == '/' || b == '.':
		p.rest = p.rest[1:]
		return len(p.numbers) > 0
	default:
		return false
	}
}

// number reads a part of the date, or the time of day if a colon follows.
func (p *dateParser) number() bool {
	n, width := p.digits()
	if width > 9 {
		return false
	}
	if strings.HasPrefix(p.rest, ":") && !p.hasClock {
		return p.timeOfDay(n)
	}
	if len(p.numbers) == 0 && p.month < 0 && (width >= 3 || n > 31) {
		p.yearFirst = true
	}
	if width <= 2 && !p.yearFirst && (len(p.numbers) == 2 || p.month >= 0 && len(p.numbers) == 1) {
		n = shortYear(n)
	}
	p.numbers = append(p.numbers, n)
	return len(p.numbers) <= 3
}

// shortYear returns the year that two digits mean.
func shortYear(n float64) float64 {
	if n < 50 {
		return 2000 + n
	}
	return 1900 + n
}

func (p *dateParser) digits() (n float64, width int) {
	for width < len(p.rest) && p.rest[width] >= '0' && p.rest[width] <= '9' {
		n = n*10 + float64(p.rest[width]-'0')
		width++
	}
	p.rest = p.rest[width:]
	return n, width
}

// timeOfDay reads what follows the hours: minutes, optional seconds and an optional fraction.
func (p *dateParser) timeOfDay(hours float64) bool {
	p.hasClock = true
	p.fields.hours = hours
	p.rest = p.rest[1:]
	var width int
	if p.fields.minutes, width = p.digits(); width == 0 || width > 2 {
		return false
	}
	if !strings.HasPrefix(p.rest, ":") {
		return true
	}
	p.rest = p.rest[1:]
	if p.fields.seconds, width = p.digits(); width == 0 || width > 2 {
		return false
	}
	if !strings.HasPrefix(p.rest, ".") {
		return true
	}
	c := digits{rest: p.rest[1:], ok: true}
	p.fields.milliseconds = c.fraction()
	p.rest = c.rest
	return c.ok
}

func (p *dateParser) word() bool {
	n := 0
	for n < len(p.rest) && (p.rest[n]|0x20) >= 'a' && (p.rest[n]|0x20) <= 'z' {
		n++
	}
	word := strings.ToLower(p.rest[:n])
	p.rest = strings.TrimPrefix(p.rest[n:], ".")
	switch word {
	case "am", "pm":
		p.half = word
		return p.hasClock
	case "t":
		return len(p.numbers) == 3
	}
	if offset, ok := namedOffset(word); ok {
		p.hasOffset, p.offset = true, offset*msPerHour
		return true
	}
	if len(word) < 3 {
		return false
	}
	for i, name := range monthNames {
		if strings.EqualFold(name, word[:3]) {
			ok := p.month < 0
			p.month = float64(i)
			return ok
		}
	}
	for _, name := range dayNames {
		if strings.EqualFold(name, word[:3]) {
			return true
		}
	}
	return false
}

// namedOffset returns the offset in hours of a zone that dates may name.
func namedOffset(word string) (float64, bool) {
	switch word {
	case "z", "ut", "utc", "gmt":
		return 0, true
	case "edt":
		return -4, true
	case "est", "cdt":
		return -5, true
	case "cst", "mdt":
		return -6, true
	case "mst", "pdt":
		return -7, true
	case "pst":
		return -8, true
	}
	return 0, false
}

// zoneOffset reads +hhmm, +hh:mm or +hh. It is added to a named zone, as in GMT+0900.
func (p *dateParser) zoneOffset() bool {
	sign := 1.0
	if p.rest[0] == '-' {
		sign = -1
	}
	p.rest = p.rest[1:]
	n, width := p.digits()
	minutes := n * 60
	switch {
	case width == 0 || width > 4:
		return false
	case width > 2:
		minutes = math.Floor(n/100)*60 + math.Mod(n, 100)
	case strings.HasPrefix(p.rest, ":"):
		p.rest = p.rest[1:]
		m, digits := p.digits()
		if digits != 2 {
			return false
		}
		minutes += m
	}
	p.offset += sign * minutes * msPerMinute
	p.hasOffset = true
	return true
}

// date makes year, month and day from the numbers.
func (p *dateParser) date() bool {
	n := p.numbers
	switch {
	case p.month >= 0 && len(n) == 2 && p.yearFirst:
		p.fields.year, p.fields.month, p.fields.day = n[0], p.month, n[1]
	case p.month >= 0 && len(n) == 2:
		p.fields.year, p.fields.month, p.fields.day = n[1], p.month, n[0]
	case p.month >= 0 && len(n) == 1 && n[0] > 31:
		p.fields.year, p.fields.month, p.fields.day = n[0], p.month, 1
	case p.month < 0 && len(n) == 3 && p.yearFirst:
		p.fields.year, p.fields.month, p.fields.day = n[0], n[1]-1, n[2]
	case p.month < 0 && len(n) == 3:
		p.fields.year, p.fields.month, p.fields.day = n[2], n[0]-1, n[1]
	default:
		return false
	}
	f := p.fields
	return f.month >= 0 && f.month < 12 && f.day >= 1 && f.day <= 31
}

// clock checks the time of day and applies am and pm.
func (p *dateParser) clock() bool {
	f := &p.fields
	if p.half != "" {
		if f.hours < 1 || f.hours > 12 {
			return false
		}
		f.hours = math.Mod(f.hours, 12)
		if p.half == "pm" {
			f.hours += 12
		}
	}
	return f.hours <= 24 && f.minutes < 60 && f.seconds < 60
}
