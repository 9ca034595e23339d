package dig

import "github.com/trowel-project/trowel/internal/param"

const parallelFormat = "Invalid _parallel format: %s" // C21

// Parallel says how the children of a group, or the iterations of a loop, may run at the same time.
type Parallel struct {
	On    bool // children run at the same time
	Limit int  // children in one chunk (language C20); 0 or less for no limit
}

// ParseParallel reads the key _parallel of a body (language C19 to C21). Without the key, children run one
// after the other. Loop operators call it with their evaluated configuration (language O6).
func ParseParallel(body *param.Map) (Parallel, error) {
	value, ok := body.Get(keyParallel)
	if !ok {
		return Parallel{}, nil
	}
	switch value := value.(type) {
	case bool:
		return Parallel{On: value}, nil
	case string:
		on, err := param.NewReader(body).Bool(keyParallel)
		if err != nil {
			return Parallel{}, asError(err)
		}
		return Parallel{On: on}, nil
	case *param.Map:
		limit, err := param.NewReader(value).Int("limit")
		if err != nil {
			return Parallel{}, asError(err)
		}
		return Parallel{On: true, Limit: limit}, nil
	default:
		return Parallel{}, configErrorf(parallelFormat, param.JSON(value))
	}
}
