// Package remotecmd has the commands against a server, one a file: its row and what it does. Answers become tables for people, and
// Digdag's texts for everybody else. A few work beside the database itself where --database names it.
package remotecmd
