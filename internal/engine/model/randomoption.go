package model

import (
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// options adds some options to a body, to a group now and then in _defaults.
func (c chooser) options(m *param.Map, group bool) {
	if !c.controlled || !c.one(3) {
		return
	}
	if group && c.one(3) {
		defaults := param.New()
		c.fill(defaults)
		m.Set("_defaults", defaults)
		return
	}
	c.fill(m)
}

func (c chooser) fill(m *param.Map) {
	for range 1 + c.IntN(2) {
		key := Options[c.IntN(len(Options))]
		m.Set(key, c.option(key))
	}
	if pool, _ := m.Get("_pool"); m.Has("_pool_slots") {
		if _, object := pool.(*param.Map); object {
			m.Delete("_pool")
		}
	}
}

func (c chooser) option(key string) param.Value {
	values := map[string]param.List{
		"_pool":            {"p1", "p2", nil, param.Of("name", "p3", "slots", int64(2)), "${pool}"},
		"_pool_slots":      {int64(2), "3", nil},
		"_priority_weight": {int64(5), int64(-3), int64(2), nil, "${weight}"},
		"_weight_rule":     {"downstream", "upstream", "absolute"},
		"_concurrency": {
			int64(2), param.Of("limit", int64(1), "key", "k"), param.Of("limit", int64(1), "key", "k", "include_waiting", false),
			param.Of("limit", "${limit}"), param.Of("limit", int64(1), "key", "f", "on_limit", "fail"), nil,
		},
		"_queue": {"q1", nil, "${queue}"},
		"_limits": {
			param.Of("memory", int64(5)), param.Of("pids", int64(3), "cpu", 1.5), param.Of("memory", nil, "pids", "4"), nil,
			param.Of("memory", "${memory}", "cpu", 0.25), param.Of("cpu", nil),
		},
	}[key]
	return values[c.IntN(len(values))]
}

// Values says what the expressions in options of a task give when it is evaluated with so many tries
// behind it; some of them are of a wrong type.
func (k Case) Values(t *Task, keys []string) *param.Map {
	c := k.chooser(t.Name + "?" + strings.Repeat("x", t.Try))
	m := param.New()
	for _, key := range keys {
		switch key {
		case "_pool":
			m.Set(key, "p"+string(rune('1'+c.IntN(3))))
		case "_priority_weight":
			m.Set(key, param.List{"7", "0", "abc"}[c.IntN(3)])
		case "_concurrency":
			m.Set(key, param.Of("limit", "2"))
		case "_queue":
			m.Set(key, "q2")
		case "_limits":
			m.Set(key, param.Of("memory", param.List{"1MiB", "2KiB"}[c.IntN(2)], "pids", "7"))
		}
	}
	return m
}

// Holds is what a task takes when it is claimed: now and then nothing but a slot of the default pool.
func (k Case) Holds(t *Task) trowel.Acquired {
	c := k.chooser(t.Name + "!" + strings.Repeat("x", t.Try))
	holds := trowel.Acquired{"pool:1": 1 + c.IntN(2)}
	if t.Needs != nil && t.Needs.Concurrency != nil {
		holds["concurrency:"+t.Needs.Concurrency.Key] = 1
	} else if c.one(2) {
		return nil
	}
	return holds
}
