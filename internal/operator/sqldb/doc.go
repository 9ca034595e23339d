// Package sqldb has the operators that run SQL: pg>, redshift>, redshift_load>, redshift_unload> and mysql> (operators 7). What
// they have in common is in run.go and the files that it names; what differs between databases is a dialect (dialect.go), with
// one file for each: postgres.go, redshift.go and mysql.go. A file that begins with "pg" speaks PostgreSQL's protocol, which
// Redshift shares.
//
// Each run of a task has a connection of its own, which is closed when the run ends. A gate (gate.go) bounds how many there are
// to one server at a time. If the run's context ends, the query is cancelled at the server.
package sqldb
