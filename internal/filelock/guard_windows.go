package filelock

import "io"

// Guard keeps programs that clean folders of temporary files away from a folder, until it is
// closed. On Windows it does nothing.
func Guard(string) (io.Closer, error) { return unguarded{}, nil }

type unguarded struct{}

func (unguarded) Close() error { return nil }
