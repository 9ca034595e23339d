package param_test

import (
	"math"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// L34: the text of a float is Java's.
func TestFloatText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		f    float64
		want string
	}{
		{1, "1.0"},
		{1e3, "1000.0"},
		{0.1, "0.1"},
		{100.5, "100.5"},
		{123456789.125, "1.23456789125E8"},
		{1e-7, "1.0E-7"},
		{1e21, "1.0E21"},
		{0.001, "0.001"},
		{0.00099, "9.9E-4"},
		{9999999, "9999999.0"},
		{1e7, "1.0E7"},
		{1e10, "1.0E10"},
		{-1.5e-300, "-1.5E-300"},
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{math.MaxFloat64, "1.7976931348623157E308"},
		{math.Inf(1), "Infinity"},
		{math.Inf(-1), "-Infinity"},
		{math.NaN(), "NaN"},
	}
	for _, tt := range tests {
		if got := param.FloatText(tt.f); got != tt.want {
			t.Errorf("FloatText(%g) = %s, want %s", tt.f, got, tt.want)
		}
	}
}

// Numbers keep their kind: integers can have any size, and 1.0 is not 1.
func TestNumberKeepsItsKind(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"1", "1"},
		{"1.0", "1.0"},
		{"-0", "0"},
		{"-0.0", "-0.0"},
		{"9007199254740993", "9007199254740993"},
		{"9223372036854775807", "9223372036854775807"},
		{"9223372036854775808", "9223372036854775808"},
		{"-99999999999999999999", "-99999999999999999999"},
		{"1e3", "1000.0"},
		{"1.50", "1.5"},
		{"1e999", `"Infinity"`},
	}
	for _, tt := range tests {
		value, ok := param.Number(tt.text)
		if got := param.JSON(value); !ok || got != tt.want {
			t.Errorf("Number(%s) = %s, %v, want %s", tt.text, got, ok, tt.want)
		}
	}
	if _, ok := param.Number("x"); ok {
		t.Error("Number(x) is a number")
	}
}
