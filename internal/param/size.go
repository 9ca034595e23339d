package param

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var sizeText = regexp.MustCompile(`^[\s\v]*(\d+(?:\.\d+)?)[\s\v]*([kKmMgGtTpP]?)(i?)([bB]?)[\s\v]*$`)

// ParseSize reads a number of bytes with or without a unit, such as "512MiB", "1.5 GiB" or "1000000" (control K823).
// KiB, MiB, GiB, TiB and PiB are powers of 1024; KB, MB, GB, TB and PB are powers of 1000. Units may be in upper or lower
// case. A unit without B, such as "2G", is refused, as it means one thing to some programs and another to others.
func ParseSize(text string) (int64, error) {
	match := sizeText.FindStringSubmatch(text)
	if match == nil || (match[2] != "" || match[3] != "") && match[4] == "" || match[2] == "" && match[3] != "" {
		return 0, invalidSize(text)
	}
	base := 1000.0
	if match[3] != "" {
		base = 1024
	}
	power := 0
	if match[2] != "" {
		power = 1 + strings.Index("kmgtp", strings.ToLower(match[2]))
	}
	if n, err := strconv.ParseInt(match[1], 10, 64); err == nil && power == 0 {
		return n, nil
	}
	n, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		return 0, invalidSize(text)
	}
	if n *= math.Pow(base, float64(power)); n >= math.MaxInt64 {
		return 0, fmt.Errorf("invalid size %.40q: it is too large", text)
	}
	return int64(math.Round(n)), nil
}

func invalidSize(text string) error {
	return fmt.Errorf("invalid size %.40q: use bytes, or a number with KiB, MiB, GiB or TiB, as in 512MiB", text)
}

// SizeText returns the text of a number of bytes for people, such as "512MiB" or "1.5GiB", with up to two decimals.
// ParseSize reads it.
func SizeText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	value, unit := float64(n), 0
	for math.Abs(math.Round(value*100)/100) >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	text := strconv.FormatFloat(value, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + units[unit]
}
