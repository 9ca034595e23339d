package filelock

import "io"

// Guard tells programs that clean folders of temporary files to leave a folder alone, until it is
// closed. Windows has no such thing.
func Guard(string) (io.Closer, error) { return unguarded{}, nil }

type unguarded struct{}

func (unguarded) Close() error { return nil }
