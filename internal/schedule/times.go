package schedule

import "time"

// endOfSchedule is the session and run time of a schedule that is over, 9999-01-01T00:00:00Z in Unix
// seconds. It is never reached (language S17).
const endOfSchedule = 253370764800

// Time is one entry of a schedule: the session time, which identifies the session, and the time at
// which the session is to start (language S3). Both have whole seconds.
type Time struct {
	Session, Run time.Time
}

// Finished reports whether the schedule was over, so that the times are those of the year 9999.
func (t Time) Finished() bool { return t.Session.Unix() >= endOfSchedule }

// times are the session times of a schedule, in Unix seconds.
type times interface {
	// first returns the first session that is to be run at or after a time.
	first(at time.Time) int64
	// next returns the session after a time: always later, or endOfSchedule.
	next(unix int64) int64
	// last returns the session before a time: always earlier.
	last(at time.Time) int64
}

// First returns the first entry whose run time is at or after a time (language S19). For an interval
// of seconds the session time counts instead (language S23).
func (s *Schedule) First(at time.Time) Time { return s.entry(s.times.first(at)) }

// Next returns the entry after a session time, which need not be in the schedule. At the end
// of the schedule it is the entry of the year 9999, and before the start it is the first (language S20).
func (s *Schedule) Next(session time.Time) Time {
	return s.entry(s.times.next(bounded(session.Unix())))
}

// Last returns the entry before a session time, which need not be in the schedule. It ignores
// the start and the end of the schedule. In gaps of an uneven pattern it is a time that was never
// scheduled (language S21).
func (s *Schedule) Last(session time.Time) Time { return s.entry(s.times.last(session)) }

func (s *Schedule) entry(session int64) Time {
	run := session + s.delay
	if session >= endOfSchedule {
		session, run = endOfSchedule, endOfSchedule
	}
	return Time{
		Session: time.Unix(session, 0).In(s.zone.Location),
		Run:     time.Unix(min(run, endOfSchedule), 0).In(s.zone.Location),
	}
}

// cronTimes are the times of a pattern between two dates.
type cronTimes struct {
	cron  cron
	zone  Zone
	delay int64 // of the run time, with which start and end are compared
	span
}

func (c cronTimes) first(at time.Time) int64 {
	second, whole := floorSecond(at)
	if whole {
		second-- // next only returns later times
	}
	return c.next(second - c.delay)
}

// next follows Digdag, except that a run time before the session time, which a negative delay gives,
// never leads back to the start of the schedule.
func (c cronTimes) next(unix int64) int64 {
	session := c.cron.next(unix, c.zone)
	switch run := session + c.delay; {
	case run >= c.end:
		return endOfSchedule
	case run < c.start:
		return max(session, c.cron.next(c.start-1, c.zone))
	default:
		return session
	}
}

// last goes back two estimated periods, and from there forward, session by session.
func (c cronTimes) last(at time.Time) int64 {
	second, whole := floorSecond(at)
	limit := second
	if !whole {
		limit++
	}
	following := c.cron.next(second, c.zone)
	period := c.cron.next(following, c.zone) - following
	last := second - 2*period
	for {
		next := c.cron.next(last, c.zone)
		if next >= limit {
			return last
		}
		last = next
	}
}

// intervalTimes are the multiples of a number of seconds since 1970 (language S23).
type intervalTimes int64

func (i intervalTimes) first(at time.Time) int64 {
	second, whole := floorSecond(at)
	if whole {
		second--
	}
	return i.next(second)
}

func (i intervalTimes) next(unix int64) int64 {
	_, rest := divFloor(unix, int64(i))
	return unix - rest + int64(i)
}

func (i intervalTimes) last(at time.Time) int64 {
	second, whole := floorSecond(at)
	if whole {
		second--
	}
	_, rest := divFloor(second, int64(i))
	return second - rest
}

// floorSecond returns the second in which a time lies, and whether it is the start of that second.
func floorSecond(at time.Time) (unix int64, whole bool) {
	return bounded(at.Unix()), at.Nanosecond() == 0
}

// bounded keeps Unix seconds within 8000 years of 1970, where no sum here overflows. Beyond that, every
// schedule is over or has not begun.
func bounded(unix int64) int64 { return min(max(unix, -endOfSchedule), endOfSchedule) }
