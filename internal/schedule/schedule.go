package schedule

import (
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Schedule is the schedule of one workflow. It is safe for concurrent use.
type Schedule struct {
	config *param.Map
	zone   Zone
	times  times
	delay  int64 // seconds from session time to run time, of elapsed time (language S22)
	unused []string
}

// Parse reads the schedule: block of a workflow in the given zone. It accepts options that Digdag's check does
// not know, see Schedule.Unused. All errors are *param.Error. Their messages are
// Digdag's where it has one (language S4, S12), and name the fault where it has none.
func Parse(config *param.Map, zone Zone) (*Schedule, error) {
	b, err := openBlock(config, zone)
	if err != nil {
		return nil, err
	}
	return b.schedule()
}

// ParseStrict is Parse for a push and the local scheduler: it refuses unknown options, with a
// line for each in the message (language S10). It finds them before bad values.
func ParseStrict(config *param.Map, zone Zone) (*Schedule, error) {
	b, err := openBlock(config, zone)
	if err != nil {
		return nil, err
	}
	if lines := b.unused(); len(lines) > 0 {
		return nil, param.Errorf("%s\n", strings.Join(lines, "\n"))
	}
	return b.schedule()
}

// Unused returns a line, without line break, for each option that Digdag's check does not know. The
// commands check and run log them (language S10).
func (s *Schedule) Unused() []string { return s.unused }

// Zone returns the zone of the workflow, in which the schedule was read.
func (s *Schedule) Zone() Zone { return s.zone }

// SkipOnOvertime reads the option skip_on_overtime: whether a session is skipped while the workflow
// has an active attempt. It is read when a session is due. Its error, a *param.Error, postpones the
// session (language S11, S26).
func (s *Schedule) SkipOnOvertime() (bool, error) {
	return param.NewReader(s.config).BoolOr("skip_on_overtime", false)
}

// SkipDelayedBy reads the option skip_delayed_by: how late a session may start before it is skipped.
// set is false if it may be any time late. Only a text is a duration. It is read when a session is due.
// Its error, a *param.Error, postpones the session (language S11, S25).
func (s *Schedule) SkipDelayedBy() (late time.Duration, set bool, err error) {
	const key = "skip_delayed_by"
	value, _ := s.config.Get(key)
	if value == nil {
		return 0, false, nil
	}
	if text, ok := value.(string); ok {
		if late, err = param.ParseDuration(text); err == nil {
			return late, true, nil
		}
	}
	return 0, false, param.WrongType(key, param.OptionalType("io.digdag.util.DurationParam"), value)
}
