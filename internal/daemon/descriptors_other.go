//go:build !unix

package daemon

// descriptors is how many files this process may have open; zero if there is no such limit.
func descriptors() int { return 0 }
