package viewtest

import (
	"errors"
)

// FullDisk fails every write.
type FullDisk struct{}

func (FullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
