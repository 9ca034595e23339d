package template

import "sync"

const (
	// generation is the largest number of entries in a generation of a cache.
	generation = 512
	// maxKept is the largest length in bytes of a key or value in a cache.
	maxKept = 4 << 10
)

// cache keeps the entries that were used last, in two generations of limited size. The zero
// cache is empty and ready.
type cache[K comparable, V any] struct {
	mu      sync.Mutex
	current map[K]V
	older   map[K]V
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.current[key]; ok {
		return v, true
	}
	v, ok := c.older[key]
	if ok {
		c.put(key, v)
	}
	return v, ok
}

func (c *cache[K, V]) add(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, v)
}

// put must be called with the lock held.
func (c *cache[K, V]) put(key K, v V) {
	if c.current == nil || len(c.current) >= generation {
		c.older = c.current
		c.current = map[K]V{}
	}
	c.current[key] = v
}

// program compiles the code of an expression, or returns it from the cache.
func (e *Evaluator) program(code string) *program {
	if len(code) > maxKept {
		return compileExpression(code)
	}
	if p, ok := e.programs.get(code); ok {
		return p
	}
	p := compileExpression(code)
	e.programs.add(code, p)
	return p
}
