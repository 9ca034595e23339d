// Package wire carries connections between two programs on this machine and disturbs them as networks do:
// it resets them, delays them silently, slows them down, or ends one of their directions. It
// knows nothing about their content.
//
// Read Wire.
package wire
