// Package scheduler turns due schedules into attempts, one session after the other, and begins the attempts of backfills
// in turn (language 6.5 to 6.7). It also says how a push changes schedules, and does what people ask for: skip, enable,
// disable, backfill.
//
// Package schedule knows which times a schedule has, and package launch how an attempt begins.
//
// Read Scheduler first, then due.go (one session) and reconcile.go (a push).
package scheduler
