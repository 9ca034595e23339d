package operator

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of language O13.
const (
	rangeBoth    = "Setting both step and slices options to for_range is invalid"
	rangeNeither = "step or slices option is required for for_range"
	rangeTooLow  = "%s option must be same or greater than 1 but got %d"
	rangeTooMany = "Too many for_range subtasks (%d). Limit: %d"
)

// runForRange runs _do for consecutive slices of a range of integers (operators 2.6, language O12, O13).
func runForRange(_ context.Context, r *Request) (Outcome, error) {
	it, err := NewIterations(r.Params)
	if err != nil {
		return Outcome{}, err
	}
	command, err := ParsedMap(r.Params, "_command")
	if err != nil {
		return Outcome{}, err
	}
	whole, err := readSpan(param.NewReader(command))
	if err != nil {
		return Outcome{}, err
	}
	count := whole.count()
	if count > uint64(max(r.TaskLimit, 0)) {
		return Outcome{}, param.Errorf(rangeTooMany, count, r.TaskLimit)
	}
	from := whole.from
	for index := range int64(count) { //nolint:gosec // at most the limit
		to := whole.to
		if whole.size(from) > whole.step {
			to = from + int64(whole.step) //nolint:gosec // stays below whole.to
		}
		part := param.Of("from", from, "to", to, "index", index)
		name := fmt.Sprintf("+range-from=%d&to=%d", from, to)
		if err := it.Add(name, param.Of("range", part)); err != nil {
			return Outcome{}, err
		}
		from = to
	}
	return it.Finish(r.Params)
}

// span is a range of integers, without to, and the size of its slices, which is not zero.
type span struct {
	from, to int64
	step     uint64
}

func readSpan(command *param.Reader) (s span, err error) {
	if s.from, err = command.Long("from"); err != nil {
		return span{}, err
	}
	if s.to, err = command.Long("to"); err != nil {
		return span{}, err
	}
	step, hasStep, err := optLong(command, "step")
	if err != nil {
		return span{}, err
	}
	slices, hasSlices, err := optLong(command, "slices")
	switch {
	case err != nil:
		return span{}, err
	case hasStep && hasSlices:
		return span{}, param.Errorf(rangeBoth)
	case !hasStep && !hasSlices:
		return span{}, param.Errorf(rangeNeither)
	case hasStep && step <= 0:
		return span{}, param.Errorf(rangeTooLow, "step", step)
	case hasSlices && slices <= 0:
		return span{}, param.Errorf(rangeTooLow, "slices", slices)
	case hasStep:
		s.step = uint64(step)
	default:
		s.step = max(ceilDiv(s.size(s.from), uint64(slices)), 1)
	}
	return s, nil
}

func optLong(command *param.Reader, key string) (value int64, present bool, err error) {
	raw, _ := command.Value(key)
	if raw == nil {
		return 0, false, nil
	}
	value, ok := param.AsLong(raw)
	if !ok {
		return 0, true, param.WrongType(key, param.OptionalType("java.lang.Long"), raw)
	}
	return value, true, nil
}

// size returns how many integers there are from a number to the end. The difference of two int64 fits a uint64.
func (s span) size(from int64) uint64 {
	if from >= s.to {
		return 0
	}
	return uint64(s.to) - uint64(from) //nolint:gosec // wraps to the right difference
}

// count returns how many slices there are.
func (s span) count() uint64 { return ceilDiv(s.size(s.from), s.step) }

func ceilDiv(a, b uint64) uint64 {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}
