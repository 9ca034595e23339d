// Package verify judges the history of ended attempts: what the audit says about each change of a
// state, in the order of commits, the archived tasks, and the
// tries. It asks no server and does not know how servers decide. It only knows what a history
// may look like.
//
// History is its input. Judge returns everything that is wrong with it.
package verify
