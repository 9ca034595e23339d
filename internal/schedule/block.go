package schedule

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// block reads a schedule: block whose type is known. After a fault its readers go on with a zero
// value, so that a kind lists what it reads line by line. Only the first fault is reported.
type block struct {
	config  *param.Map // as written
	typeKey string     // _type, daily> or another kind's key
	kind    kind
	zone    Zone
	// options has _type and _command in either form of a block, since Digdag's messages name those.
	options *param.Reader
	fault   error
}

// openBlock finds the type of a block: _type, or else the first key that ends in > (language S1).
func openBlock(config *param.Map, zone Zone) (*block, error) {
	b := &block{config: config, typeKey: "_type", zone: zone}
	options := config.Clone()
	if !config.Has("_type") {
		key, command, found := typeKey(config)
		switch {
		case !found:
			return nil, param.Errorf("Schedule config requires 'type>: at' parameter: %s", param.JSON(config))
		case command == nil:
			return nil, param.Null(key)
		}
		b.typeKey = key
		options.Set("_type", strings.TrimSuffix(key, ">"))
		options.Set("_command", command)
	}
	b.options = param.NewReader(options)
	name, err := b.options.String("_type")
	if err != nil {
		return nil, err
	}
	kind, ok := kindOf(name)
	if !ok {
		return nil, param.Errorf("Unknown scheduler type: %s", name) // S4
	}
	b.kind = kind
	return b, nil
}

func typeKey(config *param.Map) (key string, command param.Value, found bool) {
	for key, command := range config.All() {
		if strings.HasSuffix(key, ">") {
			return key, command, true
		}
	}
	return "", nil, false
}

// schedule reads the command and the options.
func (b *block) schedule() (*Schedule, error) {
	times, delay := b.kind(b)
	if b.fault != nil {
		return nil, b.fault
	}
	return &Schedule{config: b.config, zone: b.zone, times: times, delay: delay, unused: b.unused()}, nil
}

func (b *block) unused() []string { return unusedOptions(b.config, b.typeKey) }

// note keeps the first fault.
func (b *block) note(err error) {
	if b.fault == nil {
		b.fault = err
	}
}

func (b *block) refuse(format string, args ...any) { b.note(param.Errorf(format, args...)) }

// at reads the command of types that take a text: _command, or the option at instead.
func (b *block) at() string {
	text, present := b.optionalText("_command")
	if present {
		return text
	}
	text, err := b.options.String("at")
	b.note(err)
	return text
}

// text reads the command of a type that takes no option instead.
func (b *block) text() string {
	text, err := b.options.String("_command")
	b.note(err)
	return text
}

// number reads a command that is a number from 1 on. The unit is for the message.
func (b *block) number(unit string) int {
	n, err := b.options.Int("_command")
	b.note(err)
	if n < 1 {
		b.refuse("%s_interval> requires a number of %s from 1: %d", unit, unit, n)
	}
	return n
}

// optionalText is param's OptString with Digdag's other message for a wrong type (language L35).
func (b *block) optionalText(key string) (text string, present bool) {
	value, _ := b.options.Value(key)
	if value == nil {
		return "", false
	}
	text, ok := param.AsString(value)
	if !ok {
		b.note(param.WrongType(key, param.OptionalType("java.lang.String"), value))
	}
	return text, true
}

// delay reads the option delay, in seconds.
func (b *block) delay() int64 {
	delay, err := b.options.LongOr("delay", 0)
	b.note(err)
	if bounded(delay) != delay {
		b.refuse("delay is out of range: %d", delay)
	}
	return delay
}

// span is the start of the first day of a schedule and the end of its last one, in Unix seconds.
type span struct{ start, end int64 }

// span reads the options start and end (language S12).
func (b *block) span() span {
	s := span{start: -1 << 63, end: 1<<63 - 1}
	if start, present := b.midnight("start", 0); present {
		s.start = start
	}
	if end, present := b.midnight("end", 1); present {
		s.end = end
	}
	if s.start >= s.end {
		b.refuse("The schedule of end is earlier than start")
	}
	return s
}

// midnight reads a date, and returns the midnight at its beginning plus a number of days.
func (b *block) midnight(key string, days int) (unix int64, present bool) {
	text, present := b.optionalText(key)
	if !present {
		return 0, false
	}
	date, err := parseDate(text)
	if err != nil {
		b.refuse("Invalid %s: %s (%v)", key, text, err)
		return 0, false
	}
	return b.zone.FirstOccurrence(date.AddDate(0, 0, days)).Unix(), true
}
