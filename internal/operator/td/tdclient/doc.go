// Package tdclient speaks the protocol of Treasure Data's API, as far as operators need it (operators 8.12).
//
// Client has a method for each request: jobs (job.go), what begins them (submit.go), their results (result.go), and
// databases and tables (table.go). Errors are *Error, whose texts are those of Digdag's client.
package tdclient
