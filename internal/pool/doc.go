// Package pool makes, changes and deletes pools (control K801), whoever asks for it: the API, or the
// settings of a server that starts. It keeps the counters of limits right, leaves a record, and tells all
// servers, in one transaction.
package pool
