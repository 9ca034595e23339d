// Package queue says which ready task goes to which agent, when, and for how long an agent may keep
// it. It moves no task itself: what it picks is claimed in the transaction that the flusher has open.
//
// Read Agent first, then Ready and Backlog, which knows the ready tasks; Limits and Demands, which say what
// a task takes from pools and other limits; and Pick, which chooses. Heartbeat keeps the lease of an agent.
package queue
