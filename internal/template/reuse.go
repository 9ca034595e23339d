package template

import (
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// resultKey is what the result of a stable expression depends on.
type resultKey struct {
	program *program
	zone    *time.Location
	values  string // of its references, as JSON
}

// resultKey returns the key of a result in the cache. ok is false if the result cannot be cached.
func (p *program) resultKey(sc scope, zone *time.Location) (key resultKey, ok bool) {
	if !p.purity.moment || !p.purity.pure || !p.purity.stable {
		return resultKey{}, false
	}
	if _, hidden := sc.get("moment"); hidden {
		return resultKey{}, false
	}
	var values []byte
	for _, reference := range p.purity.references {
		v, answer := resolve(reference, sc)
		if answer != found || !isScalar(v) {
			return resultKey{}, false
		}
		values = append(appendJSON(values, v), ',')
	}
	if len(values) > maxKept {
		return resultKey{}, false
	}
	return resultKey{p, zone, string(values)}, true
}

func isScalar(v param.Value) bool {
	switch v.(type) {
	case nil, param.List, *param.Map:
		return false
	}
	return true
}

// within reports whether all references of an expression are parameters, not globals.
func (p purity) within(sc scope) bool {
	for _, reference := range p.references {
		root, _, _ := strings.Cut(reference, ".")
		root, _, _ = strings.Cut(root, "[")
		if _, ok := sc.get(root); !ok && root != "this" {
			return false
		}
	}
	return true
}

// spare keeps environments that have moment loaded and in which only pure expressions have run.
type spare struct {
	mu           sync.Mutex
	environments []*environment
}

const (
	// maxSpare is how many environments are kept; each takes about a megabyte.
	maxSpare = 4
	// maxUses is how often an environment is used, as moment keeps something for each format.
	maxUses = 1000
)

// take returns an environment for other parameters, or nil if there is none.
func (s *spare) take(sc scope, zone *time.Location) *environment {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.environments)
	if n == 0 {
		return nil
	}
	env := s.environments[n-1]
	s.environments = s.environments[:n-1]
	env.enter(sc, zone)
	return env
}

// give keeps an environment. No evaluation in it may have failed or been interrupted.
func (s *spare) give(env *environment) {
	env.uses++
	if env.uses >= maxUses || env.cause() != nil {
		return
	}
	env.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.environments) < maxSpare {
		s.environments = append(s.environments, env)
	}
}

// enter prepares an environment for a text.
func (env *environment) enter(sc scope, zone *time.Location) {
	if zone == nil {
		zone = time.UTC
	}
	env.zone, env.scope = zone, sc
	env.budget = budget{limit: uint64(env.evaluator.options.MaxHeapBytes)} //nolint:gosec // positive
	env.this = env.rt.NewDynamicObject(newParameters(env, sc))
}

// leave drops everything that belongs to a text.
func (env *environment) leave() {
	env.scope, env.this, env.tooLarge = scope{}, nil, nil
}
