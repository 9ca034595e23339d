// Package ops has what operators look at and change: pools, queues, agents, pauses, tokens and the audit (ui.md,
// section 4).
package ops
