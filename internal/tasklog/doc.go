// Package tasklog keeps the logs of tasks: a gzip file for each try, below a folder, named and filled
// as Digdag does (server chapter 5). It keeps bytes; what a line of the log looks like is not its
// matter.
//
// Read Logs first.
package tasklog
