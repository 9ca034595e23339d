package schedule

import (
	"fmt"
	"time"
)

// maxOffset is the largest distance of a zone from UTC, in seconds (language L43).
const maxOffset = 18 * 3600

// parseOffset reads Z, +h, +hh, +hhmm, +hh:mm, +hhmmss or +hh:mm:ss (also with a minus) as seconds
// east of UTC.
func parseOffset(text string) (seconds int, ok bool) {
	if text == "Z" {
		return 0, true
	}
	if text == "" || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	var parts [3]int // hours, minutes, seconds
	switch digits := text[1:]; len(text) {
	case 2:
		ok = readDigits("0"+digits, "00", &parts)
	case 3:
		ok = readDigits(digits, "00", &parts)
	case 5:
		ok = readDigits(digits, "0000", &parts)
	case 6:
		ok = readDigits(digits, "00:00", &parts)
	case 7:
		ok = readDigits(digits, "000000", &parts)
	case 9:
		ok = readDigits(digits, "00:00:00", &parts)
	}
	seconds = parts[0]*3600 + parts[1]*60 + parts[2]
	if !ok || parts[1] > 59 || parts[2] > 59 || seconds > maxOffset {
		return 0, false
	}
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// readDigits reads two digits for each part. In shape a 0 stands for a digit, and everything else for
// itself. Text and shape have the same length.
func readDigits(text, shape string, parts *[3]int) bool {
	count := 0
	for i := range len(text) {
		c := text[i]
		if shape[i] != '0' {
			if c != shape[i] {
				return false
			}
			continue
		}
		if c < '0' || c > '9' {
			return false
		}
		parts[count/2] = parts[count/2]*10 + int(c-'0')
		count++
	}
	return true
}

// fixedZone returns the zone of an offset: +09:00 without a prefix, GMT+09:00 with one. The offset 0
// is Z, or the prefix alone.
func fixedZone(prefix string, seconds int) Zone {
	switch {
	case seconds != 0:
		id := prefix + offsetText(seconds)
		return Zone{ID: id, Location: time.FixedZone(id, seconds)}
	case prefix == "":
		return Zone{ID: "Z", Location: time.UTC}
	default:
		return Zone{ID: prefix, Location: time.UTC}
	}
}

func offsetText(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	text := fmt.Sprintf("%c%02d:%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf(":%02d", seconds%60)
	}
	return text
}
