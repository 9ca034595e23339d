// Package digdag reads the database of a Digdag 0.10 server (server chapter 6) and copies what it
// holds into a store. It never writes to it: all is read in one read-only transaction, which sees the
// database as it was when it began.
//
// Open a Source, then call Copy. Present tells a server that Digdag's tables are beside its own.
package digdag
