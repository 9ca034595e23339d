// Package param holds parameters: JSON-like values in maps that keep the order of their keys.
//
// It has Digdag's rules for merging (language L32, L33), for reading a value as another type
// (language L34, L35), and for writing JSON and YAML text. It knows nothing about files, tasks or
// templates. Read Map first, then Reader.
package param
