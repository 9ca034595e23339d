//go:build !linux

package command

import (
	"errors"
	"log/slog"
	"os"

	trowel "github.com/trowel-project/trowel"
)

// Groups are control groups, which only Linux has.
type Groups struct{}

// OpenGroups always fails.
func OpenGroups(*slog.Logger) (*Groups, error) {
	return nil, errors.New("only Linux has control groups")
}

// Dir is empty.
func (*Groups) Dir() string { return "" }

func (*Groups) add(Limits) (*group, error) { return nil, errors.ErrUnsupported }

// group does not exist here.
type group struct {
	dir       *os.File
	keepsPeak bool
}

func (*group) memory() int64                       { return 0 }
func (*group) discard()                            {}
func (*group) kill()                               {}
func (*group) end(*trowel.Usage, bool) *LimitError { return nil }
