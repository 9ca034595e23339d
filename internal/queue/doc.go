// Package queue says which ready task goes to which agent, when, and for how long an agent may keep
// it. It moves no task itself: what it picks is claimed in the transaction that the flusher has open.
//
// Read Agent first, then Turns and Pick, then Heartbeat, which keeps the lease of an agent.
package queue
