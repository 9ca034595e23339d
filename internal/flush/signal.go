package flush

// signal wakes one goroutine. It has room for one: raised twice before that goroutine looks, it wakes it once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}
