// Package scheduler turns due schedules into attempts, one session after the other, and begins the
// attempts of backfills when their turn comes (language 6.5 to 6.7). It also says what a push does to
// schedules, and what people may do with them: skip, enable, disable, backfill.
//
// Which times a schedule has is package schedule's; how an attempt begins is package launch's.
//
// Read Scheduler first, then due.go (one session) and reconcile.go (a push).
package scheduler
