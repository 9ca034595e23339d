package dig

import (
	"math"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// maxCPU is the largest number of cores in _limits.
const maxCPU = 1_000_000

// takeLimits takes the parts of an inherited _limits and of the nearer one. Unlike other options each part is
// inherited by itself, and null resets one part (control K823).
func takeLimits(inherited, nearer param.Value) param.Value {
	near, ok := nearer.(*param.Map)
	above, _ := inherited.(*param.Map)
	if !ok || above == nil {
		above = param.New()
	}
	if !ok {
		return nearer
	}
	all := above.Clone()
	for part, value := range near.All() {
		if value == nil {
			all.Delete(part)
		} else {
			all.Set(part, value)
		}
	}
	if all.Len() == 0 {
		return nil
	}
	return all
}

// commandLimits reads _limits; nil if no part of it is given.
func (r *optionReader) commandLimits(value param.Value) *trowel.CommandLimits {
	object, ok := value.(*param.Map)
	if !ok {
		r.wrong(asError(param.NotObject(keyLimits)), keyLimits)
		return nil
	}
	r.known(object, keyLimits, trowel.LimitNames()...)
	var l trowel.CommandLimits
	if memory, _ := object.Get(trowel.LimitMemory); memory != nil {
		l.Memory = r.size(memory, keyLimits, trowel.LimitMemory)
	}
	if cpu, _ := object.Get(trowel.LimitCPU); cpu != nil {
		l.CPU = r.cores(cpu, keyLimits, trowel.LimitCPU)
	}
	if pids, _ := object.Get(trowel.LimitPIDs); pids != nil {
		l.PIDs = r.integer(pids, 1, maxCount, keyLimits, trowel.LimitPIDs)
	}
	if disk, _ := object.Get(trowel.LimitDisk); disk != nil {
		l.Disk = r.size(disk, keyLimits, trowel.LimitDisk)
	}
	if l == (trowel.CommandLimits{}) {
		return nil
	}
	return &l
}

// size reads a number of bytes, or a text with a unit.
func (r *optionReader) size(value param.Value, path ...string) int64 {
	if r.open(value) {
		return 1
	}
	var n int64
	err := error(nil)
	text, isText := value.(string)
	if whole, ok := param.AsLong(value); ok && !isText {
		n = whole
	} else if isText {
		n, err = param.ParseSize(text)
	} else {
		n = -1
	}
	if err != nil || n < 1 {
		r.wrongf(path, "must be a size, such as 512MiB, 2GiB or a number of bytes, but is %s", param.JSON(value))
		return 1
	}
	return n
}

// cores reads a number of processor cores, which may be a fraction.
func (r *optionReader) cores(value param.Value, path ...string) float64 {
	if r.open(value) {
		return 1
	}
	number := value
	if text, ok := value.(string); ok {
		number, _ = param.Number(strings.TrimSpace(text))
	}
	var n float64
	switch v := number.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	if math.IsNaN(n) || n < 0.01 || n > maxCPU {
		r.wrongf(path, "must be a number of cores from 0.01 to %d, such as 1.5, but is %s", maxCPU, param.JSON(value))
		return 1
	}
	return n
}
