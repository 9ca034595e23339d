// Package load remembers how busy pools and queues are: it samples how much of the pools is used and wanted, and
// counts how long tasks had been ready when they went to agents. Tries and the audit do not say which pool
// or queue a task had, so what is not written down here is lost with the task. Each server of a database does it; of the samples
// one counts, and hand-offs are those that the server made itself.
package load
