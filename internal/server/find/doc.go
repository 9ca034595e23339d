// Package find looks up the things that a request names. To a caller, things that they may not see do not exist. The groups
// of paths share it.
package find
