// Package usage remembers how much pools and queues are used. It samples the used and wanted slots of pools, and counts
// how long tasks had been ready when agents got them. Tries and the audit do not say which pool or queue a task had, so
// this is the only record of it.
//
// Every server of a database does this. Of the samples only one server's are stored at a time; hand-offs are counted by
// the server that made them.
package usage
