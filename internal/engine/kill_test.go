package engine_test

import "testing"

// Kills: language X46 to X51. What waits is canceled at once, which differs from Digdag on purpose;
// the states that remain are Digdag's.
func TestKill(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X47 what is ready is canceled, what is blocked stays so",
			tree: "{+a: {op>: 1}, +g: {+b: {op>: 1}}}",
			moves: `
				start     -> . planned, +a ready
				kill      -> . planned (cancel), +a canceled, +g blocked (cancel), +g+b blocked (cancel), . canceled, killed
				show +a   -> cancel_requested initial
				show +g+b -> cancel_requested initial`,
		},
		{
			name: "X47 X51 what runs ends with its report, and the result is dropped",
			tree: "{+a: {op>: 1, _check: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start                                -> . planned, +a ready
				claim +a                             -> +a running
				kill                                 -> . planned (cancel), +a running (cancel), +b blocked (cancel)
				ok +a {store: {k: 1}, sub: {op>: 1}} -> +a canceled, . canceled, killed
				show +a                              -> cancel_requested initial try=1 started=0s`,
		},
		{
			name: "X50 a failure after a kill runs no _error tasks",
			tree: "{_error: {op>: 1}, +a: {op>: 1, _error: {op>: 1}}}",
			moves: `
				start      -> . planned, +a ready
				claim +a   -> +a running
				kill       -> . planned (cancel), +a running (cancel)
				fail +a no -> +a canceled, . canceled, killed
				show +a    -> cancel_requested initial try=1 started=0s`,
		},
		{
			name: "X47 a running task that asks to be run again is canceled",
			tree: "{+a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				claim +a           -> +a running
				kill               -> . planned (cancel), +a running (cancel)
				poll +a 10s {n: 1} -> +a canceled, . canceled, killed
				show +a            -> cancel_requested initial try=1 started=0s`,
		},
		{
			name: "X47 what waits for a poll or a retry is canceled at once",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready, +b ready
				poll +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				retry +b 10s       -> +b running, +b retry_waiting 10s
				kill               -> . planned (cancel), +a canceled, +b canceled, . canceled, killed
				show +a            -> cancel_requested initial try=1 retry_count=1 started=0s params={"n":1}
				early +a           ->`,
		},
		{
			name: "X48 a group that waits to be retried is canceled at once, nothing is copied",
			tree: "{_parallel: true, +g: {_retry: {limit: 1, interval: 10}, +a: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start        -> . planned, +g planned, +b ready, +g+a ready
				fail +g+a no -> +g+a running, +g+a error, +g group_retry_waiting 10s
				claim +b     -> +b running
				kill         -> . planned (cancel), +g canceled, +b running (cancel)
				due +g       ->
				ok +b        -> +b canceled, . canceled, killed`,
		},
		{
			name: "X49b a kill while _error tasks run turns the failed task into canceled",
			tree: "{+a: {op>: 1, _error: {+x: {op>: 1}, +y: {op>: 1}}}}",
			moves: `
				start            -> . planned, +a ready
				fail +a no       -> +a running, +a^error new, +a^error+x new, +a^error+y new, +a planned, +a^error planned, +a^error+x ready
				claim +a^error+x -> +a^error+x running
				kill             -> . planned (cancel), +a planned (cancel), +a^error planned (cancel), +a^error+x running (cancel), +a^error+y blocked (cancel)
				ok +a^error+x    -> +a^error+x canceled, +a^error canceled, +a canceled, . canceled, killed
				show +a          -> cancel_requested delayed_error initial try=1 started=0s error=no`,
		},
		{
			name: "X46 a second kill finds nothing new",
			tree: "{+a: {op>: 1}}",
			moves: `
				start    -> . planned, +a ready
				claim +a -> +a running
				kill     -> . planned (cancel), +a running (cancel)
				kill     ->
				ok +a    -> +a canceled, . canceled, killed
				kill     ->`,
		},
		{
			name: "X47 done tasks stay as they are, groups wait for the last running task",
			tree: "{_parallel: true, +a: {op>: 1}, +g: {_parallel: true, +b: {op>: 1}, +c: {op>: 1}, +d: {op>: 1}}}",
			moves: `
				start        -> . planned, +a ready, +g planned, +g+b ready, +g+c ready, +g+d ready
				ok +a        -> +a running, +a success
				fail +g+b no -> +g+b running, +g+b error
				claim +g+c   -> +g+c running
				kill         -> . planned (cancel), +g planned (cancel), +g+c running (cancel), +g+d canceled
				ok +g+c      -> +g+c canceled, +g canceled, . canceled, killed`,
		},
		{
			name: "X13 a canceled child does not make the group retry",
			tree: "{+g: {_retry: 3, +a: {op>: 1}, +b: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a ready
				claim +g+a   -> +g+a running
				kill         -> . planned (cancel), +g planned (cancel), +g+a running (cancel), +g+b blocked (cancel)
				fail +g+a no -> +g+a canceled, +g canceled, . canceled, killed`,
		},
	})
}
