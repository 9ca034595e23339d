// Package ops has the paths by which operators watch and control a server: pools, queues, agents, pauses, tokens and
// the audit (ui.md, section 4).
package ops
