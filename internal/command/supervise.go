package command

import (
	"context"
	"strconv"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// lookInterval is the time between two looks at what the processes of commands use. Where looking takes long the time
// between two looks is longer, so that it takes a small part of one core: lookShare for commands with limits, and
// idleShare for others, whose use is only reported.
const (
	lookInterval = 250 * time.Millisecond
	lookLongest  = 600 * time.Millisecond // of commands with limits, which are ended within a second
	lookShare    = 4
	idleShare    = 20
)

// killTime is how long processes of a command that has exceeded a limit are killed again and again, as some may be about to
// start others.
const (
	killTime  = 2 * time.Second
	killPause = 5 * time.Millisecond
)

// supervisor keeps the limits of running commands, and measures what they use: by control groups of the kernel, or by
// looking at the processes of the machine.
type supervisor struct {
	groups *Groups // nil to look
	mark   string  // what the marks of commands begin with
	table  processTable

	mu      sync.Mutex
	last    int // number of the last command
	running map[*supervision]struct{}
	looking bool // look is due
}

// supervision is what is known of one running command.
type supervision struct {
	supervisor *supervisor
	limits     Limits
	number     int
	group      *group // nil if the command is looked at
	child      *child
	tree       tree
	early      *time.Timer
	disk       *DiskWatch     // nil without a limit
	kills      sync.WaitGroup // kills that go on

	mu       sync.Mutex
	usage    trowel.Usage
	exceeded *LimitError
	ended    bool
}

// prepare returns the supervision of a command that is about to start.
func (s *supervisor) prepare(limits Limits) (*supervision, error) {
	v := &supervision{supervisor: s, limits: limits}
	if s.groups != nil {
		var err error
		if v.group, err = s.groups.add(limits); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	v.number = s.last
	return v, nil
}

// marked returns the variable with the marks of all commands, with that of this command added.
func (v *supervision) marked(all string) string {
	return all + "," + v.supervisor.mark + "." + strconv.Itoa(v.number)
}

// begin supervises a command that has started. dir is what Limits.Disk is about.
func (v *supervision) begin(ctx context.Context, c *child, dir string) {
	v.child = c
	if v.limits.Disk > 0 {
		v.disk = NewDiskWatch(ctx, dir, v.limits.Disk, func(used int64) {
			v.exceed(&LimitError{Kind: LimitDisk, Limit: v.limits.Disk, Peak: used})
		})
	}
	if !v.looks() {
		return
	}
	if v.group == nil {
		v.mu.Lock()
		v.early = time.AfterFunc(earlyLooks()[0], func() { v.lookEarly(0) })
		v.mu.Unlock()
	}
	v.supervisor.add(v)
}

// add lets a command be looked at.
func (s *supervisor) add(v *supervision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = map[*supervision]struct{}{}
	}
	s.running[v] = struct{}{}
	if !s.looking {
		s.looking = true
		time.AfterFunc(lookInterval, s.look)
	}
}

// cancel ends the supervision of a command that could not be started.
func (v *supervision) cancel() {
	if v.group != nil {
		v.group.discard()
	}
}

// looks reports whether somebody has to look at the command.
func (v *supervision) looks() bool {
	if v.group != nil {
		return !v.group.keepsPeak
	}
	return canLook
}

// earlyLooks returns when a command is looked at that is too young for the looks at all commands, so that it has a peak
// though it is short. Most commands have ended before the first.
func earlyLooks() []time.Duration {
	return []time.Duration{10 * time.Millisecond, 40 * time.Millisecond, 100 * time.Millisecond}
}

// lookEarly measures the memory of a young command. What seems to exceed the limit is looked at as a whole.
func (v *supervision) lookEarly(number int) {
	memory := lookQuickly(v.child.proc.id())
	if limit := v.limits.Memory; limit > 0 && memory > limit {
		v.supervisor.table.look([]*supervision{v}, v.supervisor.mark)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended {
		return
	}
	v.usage.PeakMemory = max(v.usage.PeakMemory, memory)
	if list := earlyLooks(); number+1 < len(list) {
		v.early = time.AfterFunc(list[number+1], func() { v.lookEarly(number + 1) })
	}
}

// look looks at all commands, and again later as long as there are some.
func (s *supervisor) look() {
	s.mu.Lock()
	list := make([]*supervision, 0, len(s.running))
	limited := false
	for v := range s.running {
		list = append(list, v)
		limited = limited || v.limits.Memory > 0 || v.limits.PIDs > 0
	}
	if len(list) == 0 {
		s.looking = false
		s.mu.Unlock()
		s.table.forget()
		return
	}
	s.mu.Unlock()
	began := time.Now()
	if s.groups != nil {
		for _, v := range list {
			v.note(v.group.memory(), 0, 0)
		}
	} else {
		s.table.look(list, s.mark)
	}
	took := time.Since(began)
	pause := max(lookInterval, idleShare*took)
	if limited {
		pause = max(lookInterval, min(lookShare*took, lookLongest))
	}
	time.AfterFunc(pause, s.look)
}

// note notes what a look has found, and ends a command that exceeds a limit.
func (v *supervision) note(memory int64, processes int, cpu time.Duration) {
	v.mu.Lock()
	if !v.ended {
		v.usage.PeakMemory = max(v.usage.PeakMemory, memory)
		v.usage.CPUTime = max(v.usage.CPUTime, cpu)
	}
	v.mu.Unlock()
	if limit := v.limits.Memory; limit > 0 && memory > limit && v.group == nil {
		v.exceed(&LimitError{Kind: LimitMemory, Limit: limit, Peak: memory})
	}
	if limit := v.limits.PIDs; limit > 0 && processes > limit {
		v.exceed(&LimitError{Kind: LimitPIDs, Limit: int64(limit), Peak: int64(processes)})
	}
}

// exceed ends the command, because it has exceeded a limit. It does not wait for the end.
func (v *supervision) exceed(why *LimitError) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.exceeded != nil {
		return
	}
	v.exceeded = why
	v.kills.Go(v.kill)
}

// kill kills all processes of the command, also those that have left its session.
func (v *supervision) kill() {
	v.child.killNow()
	if v.group != nil {
		v.group.kill()
		return
	}
	again := time.NewTicker(killPause)
	defer again.Stop()
	for deadline := time.Now().Add(killTime); time.Now().Before(deadline); <-again.C {
		if v.supervisor.table.kill(v) == 0 {
			return
		}
	}
}

// end ends the supervision of a command that has ended by itself, was stopped, or has exceeded a limit. failed reports whether
// it has failed. It returns what the command used, and the limit that it exceeded, or nil.
func (v *supervision) end(ctx context.Context, failed, stopped bool, own trowel.Usage) (trowel.Usage, *LimitError) {
	s := v.supervisor
	s.mu.Lock()
	delete(s.running, v)
	s.mu.Unlock()
	v.disk.End(ctx)
	v.mu.Lock()
	v.ended = true
	if v.early != nil {
		v.early.Stop()
	}
	v.mu.Unlock()
	v.kills.Wait()
	if stopped && (v.group != nil || s.table.escaped(v)) {
		v.kill()
	}
	v.usage.CPUTime = max(v.usage.CPUTime, own.CPUTime)
	v.usage.BytesWritten = max(v.usage.BytesWritten, own.BytesWritten)
	if v.group != nil {
		if why := v.group.end(&v.usage, failed); v.exceeded == nil {
			v.exceeded = why
		}
	}
	return v.usage, v.exceeded
}
