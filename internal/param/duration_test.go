package param

import (
	"math"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) { // language L36, operators 1.5
	t.Parallel()
	tests := []struct {
		text string
		want time.Duration
	}{
		{"90s", 90 * time.Second},
		{"1h 30m", 90 * time.Minute},
		{" 3 D 2h", 74 * time.Hour},
		{"1d 2h 3m 4s", 26*time.Hour + 3*time.Minute + 4*time.Second},
		{"1D2H3M4S", 26*time.Hour + 3*time.Minute + 4*time.Second},
		{"0h 0m 1 s", time.Second},
		{" 1S ", time.Second},
		{"0d0h0m1s", time.Second},
		{"0s", 0},
		{"\t1\n\v\f\rm\v", time.Minute},
		{"00090s", 90 * time.Second},
		{"100000d", 100000 * 24 * time.Hour},
		{"106752d", math.MaxInt64},
		{"1d 9223372036854775807s", math.MaxInt64},
		{"106751d 24h", math.MaxInt64},
	}
	for _, test := range tests {
		if got, err := ParseDuration(test.text); err != nil || got != test.want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", test.text, got, err, test.want)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) { // language L36, operators 1.5
	t.Parallel()
	texts := []string{
		"", " ", "5", "soon", "5 minutes", "1.5s", "500ms", "-1s", "+1s", "1w", "1s 1m", "1h 1h", "s", "d h", "1h,2m", "1 2s",
		"1\u00a0s", "1\u017f", "１s", "9223372036854775808s", "1s\x00",
	}
	for _, text := range texts {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}
