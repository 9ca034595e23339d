package flush

import trowel "github.com/trowel-project/trowel"

// Evict drops the task tree of an attempt, as if many others had been used since. The flusher must be idle.
func (f *Flusher) Evict(id trowel.AttemptID) {
	f.cache.evict(f.cache.get(id))
	f.Wake()
}

// RemoteReady returns in how many attempts other servers are known to have left ready tasks.
func (f *Flusher) RemoteReady() int {
	f.reloader.mu.Lock()
	defer f.reloader.mu.Unlock()
	return len(f.reloader.remote.attempts)
}
