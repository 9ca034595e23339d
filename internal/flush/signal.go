package flush

// signal wakes a goroutine that receives from it. Raising it again before that has no further effect.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}
