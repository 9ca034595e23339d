// Package hub serves the remote agents that are connected to this server: it registers them, streams their leases, takes
// their reports, and provides what their tries need. It decides nothing about tasks. For the flusher a remote agent is
// the same as one in this process.
//
// Read Hub first, then peer, which is one agent, and Stream, which is its connection.
//
// An agent belongs to the server whose id is in its row, and only that server claims tasks for it. When it connects, it
// says which tries it has. Tries that only the database has are sent again; tries that only the agent has are lost. So a
// lease, a report or a whole server may disappear, and no try is lost or run twice.
package hub
