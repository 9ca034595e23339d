package engine_test

import "testing"

func TestRelease(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X59a a lost try is run again, counts as no retry and keeps the first start",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start       -> . planned, +a ready
				claim +a    -> +a running
				lose +a     -> +a ready
				lose +a     ->
				claim +a    -> +a running
				show +a     -> initial try=2 started=0s
				late +a     ->
				ok +a       -> +a success, +b ready
				lose +a     ->`,
		},
		{
			name: "X59a state parameters stay those that the lost try began with",
			tree: "{+a: {op>: 1}}",
			moves: `
				start            -> . planned, +a ready
				poll +a 0s {n: 1} -> +a running, +a retry_waiting 0s
				due +a           -> +a ready
				claim +a         -> +a running
				lose +a          -> +a ready
				show +a          -> initial try=2 retry_count=1 started=0s params={"n":1}`,
		},
		{
			name: "X59a a kill in the meantime is honoured",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start    -> . planned, +a ready
				claim +a -> +a running
				kill     -> . planned (cancel), +a running (cancel), +b blocked (cancel)
				lose +a  -> +a canceled, . canceled, killed`,
		},
		{
			name: "X61 an agent that is stopped gives the task back",
			tree: "{+a: {op>: 1}}",
			moves: `
				start    -> . planned, +a ready
				back +a  -> +a running, +a ready
				claim +a -> +a running
				show +a  -> initial try=2 started=0s
				kill     -> . planned (cancel), +a running (cancel)
				back +a  -> +a canceled, . canceled, killed`,
		},
	})
}
