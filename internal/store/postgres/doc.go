// Package postgres opens a store in a PostgreSQL database, version 13 or later, which several servers may share.
//
// Read Open and Options first, then classify.go, which decides which errors a caller may try again.
package postgres
