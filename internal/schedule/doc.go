// Package schedule computes the times at which a workflow's schedule starts sessions.
//
// It reads the schedule: block of a .dig file (Parse) and computes session and run times from it
// (Schedule.First, Next and Last), all in the time zone of the workflow (Zone). It reads
// no clock, keeps no records and starts nothing. The scheduler decides what to do when a session is
// due. The rules are those of language 6.1 to 6.4 and 1.8.
//
// Times are computed in whole seconds since 1970. A local time that a zone skips or repeats has two
// readings, so the name of every conversion says which one it takes: see Zone.FirstOccurrence and
// Zone.SecondOccurrence.
//
// The rules of zones are Go's. A program that may run where no time zone database is installed imports
// time/tzdata.
package schedule
