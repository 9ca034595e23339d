package param_test

import (
	"math"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "9223372036854775807": math.MaxInt64, " 512MiB ": 512 << 20, "2GiB": 2 << 30, "1.5 gib": 3 << 29, "1KB": 1000,
		"3tb": 3e12, "1PiB": 1 << 50, "10B": 10, "0.5KiB": 512, "1.4B": 1,
	} {
		if got, err := param.ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "2G", "2Gi", "1e9", "1 i", "iB", "1,5GiB", "99999999PiB", "9223372036854775808", "1EiB", "1 2"} {
		if got, err := param.ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestSizeTexts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0B", 1023: "1023B", 1024: "1KiB", 1536: "1.5KiB", 512 << 20: "512MiB", 1<<30 - 1: "1GiB", 5 << 30: "5GiB",
		1234567: "1.18MiB", math.MaxInt64: "8EiB", 110 << 30: "110GiB",
	} {
		if got := param.SizeText(n); got != want {
			t.Errorf("SizeText(%d) = %q, want %q", n, got, want)
		}
	}
}
