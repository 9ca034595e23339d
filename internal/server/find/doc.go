// Package find looks up what a request names by an id or a name. What the caller may not see does not exist. The
// groups of paths share it.
package find
