// Package ops has the paths by which operators watch and control a server: pools, queues, agents, pauses, tokens and
// the audit.
package ops
