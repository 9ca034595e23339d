package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/trowel-project/trowel"
)

// poolPrefix begins the keys of pools: pool.NAME.slots. A name may contain dots.
const poolPrefix = "pool."

// The settings of a pool, at the end of its keys.
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

// cutPoolKey returns the name of the pool that a key is about, and the setting.
func cutPoolKey(key string) (name, field string, ok bool) {
	rest, ok := strings.CutPrefix(key, poolPrefix)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return "", "", false
	}
	return rest[:dot], rest[dot+1:], true
}

// pool returns the pool with a name, and adds it if it is missing.
func (s *Server) pool(name string) *Pool {
	for i := range s.Engine.Pools {
		if s.Engine.Pools[i].Name == name {
			return &s.Engine.Pools[i]
		}
	}
	s.Engine.Pools = append(s.Engine.Pools, Pool{Name: name})
	return &s.Engine.Pools[len(s.Engine.Pools)-1]
}

// checkPools refuses pools without slots, and sorts all pools. It skips pools with an unknown key, which has
// been reported already and may mean the slots.
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

// has reports whether a key is set, even to an empty text.
func (r *reader) has(name string) bool {
	_, ok := r.settings[name]
	return ok
}
