// Package wire carries connections between two programs of this machine and hurts them as networks do:
// it resets them, holds them up without a word, slows them down, or ends one of their directions. It
// knows nothing of what is said.
//
// Wire is all there is to read.
package wire
