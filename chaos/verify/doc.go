// Package verify judges the history of attempts that have ended: what the audit says of each change of a
// state, in the order in which the transactions were committed, the tasks as they were archived, and the
// tries. It asks no server, and it knows nothing of how one comes to its decisions: only what a history
// may look like.
//
// History is what it reads; Judge says all that is wrong with it.
package verify
