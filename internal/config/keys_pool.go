package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/trowel-project/trowel"
)

// poolPrefix begins the keys of pools: pool.NAME.slots. A name may have dots.
const poolPrefix = "pool."

// What is said of a pool, at the end of its keys.
const (
	poolSlots           = "slots"
	poolDescription     = "description"
	poolIncludeDeferred = "include_deferred"
)

func poolFields() []string { return []string{poolSlots, poolDescription, poolIncludeDeferred} }

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
	name, field, ok := cutPoolKey(key)
	if !ok {
		return errors.New("use pool.NAME.slots, pool.NAME.description or pool.NAME.include_deferred")
	}
	if err := trowel.CheckPoolName(name); err != nil {
		return err
	}
	if !slices.Contains(poolFields(), field) {
		return errors.New("a pool has slots, description and include_deferred")
	}
	pool, err := s.pool(name), error(nil)
	switch field {
	case poolSlots:
		pool.Slots, err = aNumberUpTo(trowel.Unlimited, trowel.MostSlots).parse(text)
	case poolDescription:
		pool.Description = &text
	case poolIncludeDeferred:
		var include bool
		include, err = aBoolean().parse(text)
		pool.IncludeDeferred = &include
	}
	return err
}

// cutPoolKey returns the name of the pool that a key is about, and what it sets.
func cutPoolKey(key string) (name, field string, ok bool) {
	rest, ok := strings.CutPrefix(key, poolPrefix)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return "", "", false
	}
	return rest[:dot], rest[dot+1:], true
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

// checkPools says which pools have no slots, and puts all in order. Of a pool with a key that does not
// exist, which was told already, the slots may be what was meant.
func (r *reader) checkPools() {
	pools := r.server.Engine.Pools
	mistyped := map[string]bool{} // by the name of the pool
	for key := range r.settings {
		if name, field, ok := cutPoolKey(key); ok && !slices.Contains(poolFields(), field) {
			mistyped[name] = true
		}
	}
	for _, pool := range pools {
		if slots := poolPrefix + pool.Name + "." + poolSlots; !r.has(slots) && !mistyped[pool.Name] {
			because := poolPrefix + pool.Name + "." + poolDescription
			if !r.has(because) {
				because = poolPrefix + pool.Name + "." + poolIncludeDeferred
			}
			r.missing(slots, because)
		}
	}
	slices.SortFunc(pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
}

// has reports whether a key is there, be its text empty.
func (r *reader) has(name string) bool {
	_, ok := r.settings[name]
	return ok
}
