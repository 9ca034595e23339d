package template

import "sync"

const (
	// cachedPrograms is how many programs a generation of the cache has.
	cachedPrograms = 512
	// maxCachedCode is the length in bytes of the longest code whose program is kept.
	maxCachedCode = 4 << 10
)

// cache keeps programs by their code: those used lately, and as many of before. The zero cache is
// empty and ready.
type cache struct {
	mu      sync.Mutex
	current map[string]*program
	older   map[string]*program
}

func (c *cache) get(code string) *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.current[code]; ok {
		return p
	}
	p, ok := c.older[code]
	if ok {
		c.put(code, p)
	}
	return p
}

func (c *cache) add(code string, p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(code, p)
}

// put is called with the lock.
func (c *cache) put(code string, p *program) {
	if c.current == nil || len(c.current) >= cachedPrograms {
		c.older = c.current
		c.current = make(map[string]*program, cachedPrograms)
	}
	c.current[code] = p
}

// program compiles the code of an expression, or finds it compiled.
func (e *Evaluator) program(code string) *program {
	if len(code) > maxCachedCode {
		return compileExpression(code)
	}
	if p := e.programs.get(code); p != nil {
		return p
	}
	p := compileExpression(code)
	e.programs.add(code, p)
	return p
}
