package flush

import trowel "github.com/trowel-project/trowel"

// Forget drops the image of an attempt, as if many others had been used since. The flusher must be idle.
func (f *Flusher) Forget(id trowel.AttemptID) {
	f.images.forget(f.images.byID[id])
	f.Wake()
}

// Elsewhere is of how many attempts other servers are known to have left ready tasks.
func (f *Flusher) Elsewhere() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.elsewhere)
}
