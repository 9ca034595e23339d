// Package agentapi has the paths of remote agents (docs/agents.md). Package hub does what they ask.
package agentapi
