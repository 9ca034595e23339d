package wait

// Signal wakes a goroutine that receives from it. It has room for one element: any number of calls of Set before
// the next receive are one.
type Signal chan struct{}

// NewSignal returns a signal that is not set.
func NewSignal() Signal { return make(Signal, 1) }

// Set wakes the receiver, now or when it receives next. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
