package engine_test

import "testing"

// Generated tasks: language X18, X22, X23, and the limit of C36 to C39.
func TestGenerate(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X18 ^check waits for ^sub",
			tree: "{+a: {op>: 1, _check: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start                                     -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}, +y: {op>: 1}}} -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub+y new, +a^check new, +a^sub planned, +a^sub+x ready
				ok +a^sub+x                               -> +a^sub+x running, +a^sub+x success, +a^sub+y ready
				ok +a^sub+y                               -> +a^sub+y running, +a^sub+y success, +a^sub success, +a^check ready
				ok +a^check                               -> +a^check running, +a^check success, +a success, +b ready
				ok +b                                     -> +b running, +b success, . success, success`,
		},
		{
			name: "X22 a subtask body with an operator is ^sub itself",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                 -> . planned, +a ready
				ok +a {sub: {op>: 2}} -> +a running, +a planned, +a^sub new, +a^sub ready
				show +a^sub           -> initial
				ok +a^sub             -> +a^sub running, +a^sub success, +a success, . success, success`,
		},
		{
			name: "X18 ^check without ^sub starts at once, and is not an initial task",
			tree: "{+a: {op>: 1, _check: {op>: 1}}}",
			moves: `
				start         -> . planned, +a ready
				ok +a         -> +a running, +a planned, +a^check new, +a^check ready
				show +a^check ->
				ok +a^check   -> +a^check running, +a^check success, +a success, . success, success`,
		},
		{
			name: "X18 a failed ^check makes the operator task fail as a group",
			tree: "{+a: {op>: 1, _check: {op>: 1}, _error: {op>: 2}}}",
			moves: `
				start                -> . planned, +a ready
				ok +a                -> +a running, +a planned, +a^check new, +a^check ready
				fail +a^check wrong  -> +a^check running, +a^check error, +a^error new, +a planned (failure_tasks), +a^error ready
				scope +a^error error -> {"message":"wrong"}
				ok +a^error          -> +a^error running, +a^error success, +a group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert   -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "C15 _check of a group is without effect, a failed operator has no ^check",
			tree: "{_check: {op>: 1}, +a: {op>: 1, _check: {op>: 1}}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X23 ^sub inside ^sub",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                             -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}}}       -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub planned, +a^sub+x ready
				ok +a^sub+x {sub: {+y: {op>: 1}}} -> +a^sub+x running, +a^sub+x planned, +a^sub+x^sub new, +a^sub+x^sub+y new, +a^sub+x^sub planned, +a^sub+x^sub+y ready
				ok +a^sub+x^sub+y                 -> +a^sub+x^sub+y running, +a^sub+x^sub+y success, +a^sub+x^sub success, +a^sub+x success, +a^sub success, +a success, . success, success`,
		},
		{
			name: "X22 an empty group of subtasks",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                          -> . planned, +a ready
				ok +a {sub: {_parallel: true}} -> +a running, +a planned, +a^sub new, +a^sub planned, +a^sub success, +a success, . success, success`,
		},
		{
			name: "X22 subtasks that do not compile turn the success into a failure, and the result is lost",
			tree: "{+a: {op>: 1, _error: {op>: 2}}}",
			moves: `
				start                               -> . planned, +a ready
				ok +a {sub: {+x: 3}, store: {k: 1}} -> +a running, +a^error new, +a planned, +a^error ready
				show +a                             -> delayed_error initial try=1 started=0s error=Parameter '+x' must be an object or array of objects (config)
				ok +a^error                         -> +a^error running, +a^error success, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert                  -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X22 L40b subtasks with an _export that is no object",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                             -> . planned, +a ready
				ok +a {sub: {_export: 3, op>: 1}} -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a                           -> initial try=1 started=0s error=Parameter '_export' must be an object (config)`,
		},
		{
			name: "X22 a _check that does not compile",
			tree: "{+a: {op>: 1, _check: {op>: 1, other>: 2}}}",
			moves: `
				start   -> . planned, +a ready
				ok +a   -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a -> initial try=1 started=0s error=A task can't have more than one operator: {"op>":1,"other>":2} (config)`,
		},
		{
			name:  "C36 C39 subtasks beyond the limit fail the task",
			tree:  "{+a: {op>: 1}}",
			limit: 4,
			moves: `
				start                                     -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}, +y: {op>: 1}}} -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a                                   -> initial try=1 started=0s error=Too many tasks. Limit: 4, Current: 2, Adding: 3 (task limit exceeded)
				ok .^failure-alert                        -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name:  "C36 subtasks up to the limit",
			tree:  "{+a: {op>: 1}}",
			limit: 4,
			moves: `
				start                       -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}}} -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub planned, +a^sub+x ready
				ok +a^sub+x                 -> +a^sub+x running, +a^sub+x success, +a^sub success, +a success, . success, success`,
		},
		{
			name:  "C36 C39 a ^check beyond the limit fails the task, and ^sub is not made",
			tree:  "{+a: {op>: 1, _check: {op>: 1}}}",
			limit: 3,
			moves: `
				start                 -> . planned, +a ready
				ok +a {sub: {op>: 1}} -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a               -> initial try=1 started=0s error=Too many tasks. Limit: 3, Current: 3, Adding: 1 (task limit exceeded)`,
		},
		{
			name:  "C39 _error tasks beyond the limit are left out",
			tree:  "{_error: {op>: 1}, +a: {op>: 1, _error: {+x: {op>: 1}}}}",
			limit: 3,
			moves: `
				start      -> . planned, +a ready
				fail +a no -> +a running, +a error, . group_error, ! cannot add the _error tasks of +w+a: Too many tasks. Limit: 3, Current: 2, Adding: 2, ! cannot add the _error tasks of +w: Too many tasks. Limit: 3, Current: 3, Adding: 1, error`,
		},
		{
			name:  "C39 the root loses the alert with its _error tasks",
			tree:  "{_error: {op>: 1}, +a: {op>: 1}}",
			limit: 3,
			moves: `
				start      -> . planned, +a ready
				fail +a no -> +a running, +a error, . group_error, ! cannot add the _error tasks of +w: Too many tasks. Limit: 3, Current: 3, Adding: 1, error`,
		},
		{
			name:  "C39 C38 the alert counts among the tasks that are there",
			tree:  "{_error: {op>: 1}, +a: {op>: 1}}",
			limit: 4,
			moves: `
				start      -> . planned, +a ready
				fail +a no -> +a running, +a error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready`,
		},
		{
			name:  "C38 the alert is not checked, group retries neither",
			tree:  "{+g: {_retry: 1, +a: {op>: 1}}}",
			limit: 4,
			moves: `
				start              -> . planned, +g planned, +g+a ready
				fail +g+a no       -> +g+a running, +g+a error, +g group_retry_waiting 0s
				due +g             -> +g ready, +g+a' new, +g planned, +g+a' ready
				fail +g+a' no      -> +g+a' running, +g+a' error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
	})
}
