// Package tasklog keeps the logs of tasks: a gzip file for each try, in a directory, with names and content as Digdag
// has them (server chapter 5). It keeps bytes and does not know what a line of a log looks like.
//
// Read Logs first.
package tasklog
