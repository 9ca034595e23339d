package flush

import trowel "github.com/trowel-project/trowel"

// Forget evicts the task tree of an attempt, as if many others had been used since. The flusher must be idle.
func (f *Flusher) Forget(id trowel.AttemptID) {
	f.cache.evict(f.cache.get(id))
	f.Wake()
}

// Elsewhere returns in how many attempts other servers are known to have left ready tasks.
func (f *Flusher) Elsewhere() int {
	f.reloader.mu.Lock()
	defer f.reloader.mu.Unlock()
	return len(f.reloader.remote.attempts)
}
