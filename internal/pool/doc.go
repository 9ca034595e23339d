// Package pool creates, changes and deletes pools (control K801), for the API and for the settings of a starting server.
// In one transaction it keeps the counters of limits right, writes a record and notifies all servers.
package pool
