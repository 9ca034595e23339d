package engine_test

import "testing"

// Jobs outside: operators 1.14, language X49. A killed task whose state names a job gets one more try, which cancels it.
func TestJob(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "a waiting task has its job canceled before it is canceled",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready
				job +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				show +a           -> initial job try=1 retry_count=1 wait=poll started=0s params={"n":1}
				kill              -> . planned (cancel), +a ready, +b blocked (cancel)
				show +a           -> cancel_requested initial job try=1 retry_count=1 started=0s params={"n":1}
				due +a            ->
				kill              ->
				claim +a          -> +a running
				show +a           -> cancel_requested initial job cancels try=2 retry_count=1 started=0s params={"n":1}
				kill              ->
				ok +a             -> +a canceled, . canceled, killed
				show +a           -> cancel_requested initial try=2 retry_count=1 started=0s params={"n":1}`,
		},
		{
			name: "so has a task that is ready for its next poll",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready, +b ready
				job +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				due +a            -> +a ready
				kill              -> . planned (cancel), +a ready (cancel_job), +b canceled
				fail +a no        -> +a running, +a canceled, . canceled, killed`,
		},
		{
			name: "a poll without a job is canceled at once, also if there was one before",
			tree: "{+a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				job +a 10s {n: 1}  -> +a running, +a retry_waiting 10s
				due +a             -> +a ready
				poll +a 10s {n: 2} -> +a running, +a retry_waiting 10s
				show +a            -> initial try=2 retry_count=2 wait=poll started=0s params={"n":2}
				kill               -> . planned (cancel), +a canceled, . canceled, killed`,
		},
		{
			name: "the agent of a running try cancels the job itself",
			tree: "{+a: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready
				job +a 0s {n: 1}  -> +a running, +a retry_waiting 0s
				due +a            -> +a ready
				claim +a          -> +a running
				kill              -> . planned (cancel), +a running (cancel)
				poll +a 5s {n: 2} -> +a canceled, . canceled, killed`,
		},
		{
			name: "a poll that crosses the kill has its job canceled, with its own state",
			tree: "{+a: {op>: 1}}",
			moves: `
				start            -> . planned, +a ready
				claim +a         -> +a running
				kill             -> . planned (cancel), +a running (cancel)
				job +a 5s {n: 1} -> +a ready
				show +a          -> cancel_requested initial job try=1 started=0s params={"n":1}
				ok +a            -> +a running, +a canceled, . canceled, killed`,
		},
		{
			name: "a killed try that is lost or given back leaves the job to another one",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}",
			moves: `
				start            -> . planned, +a ready, +b ready, +c ready
				job +a 0s {n: 1} -> +a running, +a retry_waiting 0s
				job +b 0s {n: 2} -> +b running, +b retry_waiting 0s
				due +a           -> +a ready
				due +b           -> +b ready
				claim +a         -> +a running
				claim +b         -> +b running
				claim +c         -> +c running
				kill             -> . planned (cancel), +a running (cancel), +b running (cancel), +c running (cancel)
				lose +a          -> +a ready
				back +b          -> +b ready
				lose +c          -> +c canceled
				claim +a         -> +a running
				show +a          -> cancel_requested initial job cancels try=3 retry_count=1 started=0s params={"n":1}
				ok +a            -> +a canceled
				crash            ->
				ok +b            -> +b running, +b canceled, . canceled, killed`,
		},
		{
			name: "tries to cancel are given up after five",
			tree: "{+a: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready
				job +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				kill              -> . planned (cancel), +a ready
				back +a           -> +a running, +a ready
				claim +a          -> +a running
				lose +a           -> +a ready
				job +a 0s {n: 2}  -> +a running, +a ready
				crash             ->
				back +a           -> +a running, +a ready
				claim +a          -> +a running
				lose +a           -> +a canceled, . canceled, ! Task +w+a is canceled, but what it has started outside may go on: 5 tries to cancel that did not come to their end, killed
				show +a           -> cancel_requested initial job try=6 retry_count=1 started=0s params={"n":2}`,
		},
		{
			name: "an agent says that it could not cancel",
			tree: "{+a: {op>: 1}}",
			moves: `
				start             -> . planned, +a ready
				job +a 10s {n: 1} -> +a running, +a retry_waiting 10s
				kill              -> . planned (cancel), +a ready
				left +a           -> +a running, +a canceled, . canceled, ! Task +w+a is canceled, but what it has started outside may go on, see the task's log, killed
				show +a           -> cancel_requested initial job try=2 retry_count=1 started=0s params={"n":1}`,
		},
		{
			name: "a task that ends by itself has no job any more",
			tree: "{_parallel: true, +a: {op>: 1, _error: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start            -> . planned, +a ready, +b ready
				job +a 0s {n: 1} -> +a running, +a retry_waiting 0s
				job +b 0s {n: 1} -> +b running, +b retry_waiting 0s
				due +a           -> +a ready
				due +b           -> +b ready
				fail +a no       -> +a running, +a^error new, +a planned, +a^error ready
				show +a          -> delayed_error initial try=2 retry_count=1 started=0s params={"n":1} error=no
				back +b          -> +b running, +b ready
				show +b          -> initial job try=2 retry_count=1 started=0s params={"n":1}
				ok +b            -> +b running, +b success
				show +b          -> initial try=3 retry_count=1 started=0s params={"n":1}
				kill             -> . planned (cancel), +a planned (cancel), +a^error canceled, +a canceled, . canceled, killed`,
		},
	})
}
