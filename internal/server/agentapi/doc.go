// Package agentapi has the paths of remote agents (docs/agents.md). Package hub does the work.
package agentapi
