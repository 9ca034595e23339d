// Package queue says which ready task goes to which agent, when, and how long an agent may keep it. It changes no task
// itself: what it picks is claimed in the flusher's open transaction.
//
// Read Agent first, then Ready and Backlog, which knows the ready tasks; Limits and Demands, which say what a task takes
// from pools and other limits; and Pick, which chooses. Heartbeat keeps the lease of an agent.
package queue
