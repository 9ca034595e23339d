// Package hub serves the remote agents that are connected to this server: it registers them, gives them
// their leases through a stream, takes what they report, and hands out what their tries need. It decides
// nothing about tasks: it is to the flusher what an agent in this process is.
//
// Read Hub first, then peer, which is one agent, and Stream, which is its connection.
//
// An agent belongs to the server whose id stands in its row, and only that one claims for it. When it
// connects it says which tries it has; what the database has beside is sent again, and what it has beside
// is lost. So a lease, a report or a whole server may vanish on the way without losing or doubling anything.
package hub
