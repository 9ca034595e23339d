// Package serve has the commands that start servers and agents, and those that work on a server's database: migrate and db.
package serve
