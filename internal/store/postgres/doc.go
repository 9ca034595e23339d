// Package postgres opens a store in a PostgreSQL database, version 13 or later, for servers that
// share it: one at the beginning, more later.
//
// Read Open and Options first, then classify.go, which says what a caller may try again.
package postgres
