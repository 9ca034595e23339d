// Package digdag reads the database of a Digdag 0.10 server (server chapter 6) and copies its
// rows into a store. It never writes to it. It reads everything in one read-only transaction, which sees the
// database as it was at the beginning.
//
// Open a Source, then call Copy. Present reports whether Digdag's tables are beside a server's own.
package digdag
