package kubernetes

import (
	"math"
	"strconv"
	"strings"
)

// quantity reads an amount as Kubernetes writes it, such as "512Mi", "1.5" or "100m".
func quantity(text string) (amount float64, ok bool) {
	number := strings.TrimRight(text, "numkKMGTPEi")
	factor, known := map[string]float64{
		"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
		"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
	}[text[len(number):]]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, false
	}
	return n * factor, true
}
