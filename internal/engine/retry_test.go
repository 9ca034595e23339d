package engine_test

import "testing"

// Runs that are repeated by their operator: language X24 to X33, X11.
func TestRepeatedRuns(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X26 a poll puts the task aside with its state params",
			tree: "{+a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				poll +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				show +a            -> initial try=1 retry_count=1 wait=poll started=0s params={"n":1}
				early +a           ->
				due +a             -> +a ready
				show +a            -> initial try=1 retry_count=1 started=0s params={"n":1}
				poll +a 5s {n: 2}  -> +a running, +a retry_waiting 5s
				due +a             -> +a ready
				ok +a              -> +a running, +a success, . success, success
				show +a            -> initial try=3 retry_count=2 started=0s params={"n":2}`,
		},
		{
			name: "X26 X32 a retry with cause counts wake-ups, its error is not kept",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                        -> . planned, +a ready
				retry +a 0s {retry_count: 1} -> +a running, +a retry_waiting 0s
				show +a                      -> initial try=1 retry_count=1 wait=retry started=0s params={"retry_count":1}
				due +a                       -> +a ready
				fail +a no                   -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a                      -> initial try=2 retry_count=1 started=0s params={"retry_count":1} error=no`,
		},
		{
			name: "X12 a waiting task holds its group",
			tree: "{+g: {_parallel: true, +a: {op>: 1}, +b: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a ready, +g+b ready
				poll +g+a 1s -> +g+a running, +g+a retry_waiting 1s
				fail +g+b no -> +g+b running, +g+b error
				due +g+a     -> +g+a ready
				ok +g+a      -> +g+a running, +g+a success, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready`,
		},
		{
			name: "X11 a report for a task that is not running is ignored",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start                 -> . planned, +a ready
				ok +a {store: {k: 1}} -> +a running, +a success, +b ready
				again +a              ->
				show +a               -> initial try=1 started=0s store={"k":1}
				claim +a              ->
				early +a              ->`,
		},
		{
			name: "X11 a report of an earlier try is ignored",
			tree: "{+a: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready
				poll +a 1s {n: 1} -> +a running, +a retry_waiting 1s
				again +a          ->
				due +a            -> +a ready
				claim +a          -> +a running
				again +a          ->
				ok +a             -> +a success, . success, success`,
		},
		{
			name: "C2 started at is that of the first try",
			tree: "{+a: {op>: 1}}",
			moves: `
				start       -> . planned, +a ready
				poll +a 10s -> +a running, +a retry_waiting 10s
				due +a      -> +a ready
				poll +a 10s -> +a running, +a retry_waiting 10s
				due +a      -> +a ready
				claim +a    -> +a running
				show +a     -> initial try=3 retry_count=2 started=0s`,
		},
		{
			name: "P2 what a polling run would have stored is lost, what a success stored stays",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start                                             -> . planned, +a ready
				ok +a {store: {k: 1}, export: {e: 1}, reset: [x]} -> +a running, +a success, +b ready
				show +a                                           -> initial try=1 started=0s export={"e":1} reset=[x] store={"k":1}
				claim +b                                          -> +b running
				scope +b k                                        -> 1
				scope +b e                                        -> absent`,
		},
	})
}
