package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/trowel-project/trowel"
)

// poolPrefix begins the keys of pools: pool.NAME.slots. A name may have dots.
const poolPrefix = "pool."

// poolKey returns the row for the keys of all pools.
func poolKey() Key {
	return Key{
		Name: poolPrefix + "NAME", Kind: "text",
		Doc: "`pool.NAME.slots`: a pool of that name is made at start, or changed; -1 is without limit, 0 starts nothing. " +
			"With it `pool.NAME.description`, and `pool.NAME.include_deferred`: true if tasks keep their slots while they are deferred",
		set: setPool,
	}
}

func setPool(s *Server, key, text string) error {
	rest := strings.TrimPrefix(key, poolPrefix)
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return errors.New("use pool.NAME.slots, pool.NAME.description or pool.NAME.include_deferred")
	}
	name := rest[:dot]
	if err := trowel.CheckPoolName(name); err != nil {
		return err
	}
	pool, err := s.pool(name), error(nil)
	switch rest[dot+1:] {
	case "slots":
		pool.Slots, err = aNumber(trowel.Unlimited).parse(text)
	case "description":
		pool.Description = &text
	case "include_deferred":
		var include bool
		include, err = aBoolean().parse(text)
		pool.IncludeDeferred = &include
	default:
		return errors.New("a pool has slots, description and include_deferred")
	}
	return err
}

// pool returns the pool of a name, a new one if it was not there.
func (s *Server) pool(name string) *Pool {
	for i := range s.Engine.Pools {
		if s.Engine.Pools[i].Name == name {
			return &s.Engine.Pools[i]
		}
	}
	s.Engine.Pools = append(s.Engine.Pools, Pool{Name: name})
	return &s.Engine.Pools[len(s.Engine.Pools)-1]
}

// checkPools says which pools have no slots, and puts all in order.
func (r *reader) checkPools() {
	pools := r.server.Engine.Pools
	for _, pool := range pools {
		if slots := poolPrefix + pool.Name + ".slots"; !r.has(slots) {
			because := poolPrefix + pool.Name + ".description"
			if !r.has(because) {
				because = poolPrefix + pool.Name + ".include_deferred"
			}
			r.missing(slots, because)
		}
	}
	slices.SortFunc(pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
}

// has tells whether a key is there, be its text empty.
func (r *reader) has(name string) bool {
	_, ok := r.settings[name]
	return ok
}
