package engine_test

import "testing"

// Failures: language X13, X15, X18 to X22, X43, X44, X50.
func TestFailure(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X15 X21 a failed root runs the alert first and fails whatever becomes of it",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                        -> . planned, +a ready
				fail +a no                   -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show .                       -> delayed_group_error initial
				fail .^failure-alert no mail -> .^failure-alert running, .^failure-alert error, . group_error, error`,
		},
		{
			name: "X20 _error of an operator delays the failure and its parent, and cannot rescue it",
			tree: "{+g: {+a: {op>: 1, _error: {op>: 2}}, +b: {op>: 1}}, +c: {op>: 1}}",
			moves: `
				start                  -> . planned, +g planned, +g+a ready
				fail +g+a no           -> +g+a running, +g+a^error new, +g+a planned, +g+a^error ready
				show +g+a              -> delayed_error initial try=1 started=0s error=no
				scope +g+a^error error -> {"message":"no"}
				ok +g+a^error          -> +g+a^error running, +g+a^error success, +g+a error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert     -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X20 a failing _error changes nothing",
			tree: "{+a: {op>: 1, _error: {+x: {op>: 1}, +y: {op>: 1}}}}",
			moves: `
				start                 -> . planned, +a ready
				fail +a no            -> +a running, +a^error new, +a^error+x new, +a^error+y new, +a planned, +a^error planned, +a^error+x ready
				fail +a^error+x again -> +a^error+x running, +a^error+x error, +a^error group_error, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				show +a               -> delayed_error initial try=1 started=0s error=no
				ok .^failure-alert    -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X19 X44 _error at several levels, innermost first, with stores and errors of all below",
			tree: "{_error: {op>: 1}, +g: {_error: {_export: {k: own, l: own, error: own}, op>: 1}, +a: {op>: 1}, +b: {op>: 1}}}",
			moves: `
				start                        -> . planned, +g planned, +g+a ready
				ok +g+a {store: {k: stored}} -> +g+a running, +g+a success, +g+b ready
				fail +g+b no                 -> +g+b running, +g+b error, +g^error new, +g planned (failure_tasks), +g^error ready
				scope +g^error k             -> "stored"
				scope +g^error l             -> "own"
				scope +g^error error         -> {"message":"no"}
				show +g                      -> delayed_group_error initial
				fail +g^error inner          -> +g^error running, +g^error error, +g group_error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				scope .^error error          -> {"message":"inner"}
				ok .^error                   -> .^error running, .^error success
				ok .^failure-alert           -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X19 with two failures the last message wins, in tree order",
			tree: "{_parallel: true, _error: {op>: 1}, +a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start               -> . planned, +a ready, +b ready
				fail +b second      -> +b running, +b error
				fail +a first       -> +a running, +a error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				scope .^error error -> {"message":"second"}`,
		},
		{
			name: "X15 the failure tasks of the root run side by side",
			tree: "{_error: {op>: 1}, +a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				ok .^error         -> .^error running, .^error success
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X44 a group without _error fails at once, its parent runs its own",
			tree: "{+g: {_error: {op>: 1}, +h: {+a: {op>: 1}}}}",
			moves: `
				start              -> . planned, +g planned, +g+h planned, +g+h+a ready
				fail +g+h+a no     -> +g+h+a running, +g+h+a error, +g+h group_error, +g^error new, +g planned (failure_tasks), +g^error ready
				ok +g^error        -> +g^error running, +g^error success, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "C3 _error inside _export works for that task alone",
			tree: "{+g: {_export: {_error: {op>: 1}}, +a: {op>: 1}}}",
			moves: `
				start              -> . planned, +g planned, +g+a ready
				fail +g+a no       -> +g+a running, +g+a error, +g^error new, +g planned (failure_tasks), +g^error ready
				ok +g^error        -> +g^error running, +g^error success, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "C35 an empty _error counts as none",
			tree: "{+a: {op>: 1, _error: {}}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X22 a broken _error in _export is left out",
			tree: "{+a: {op>: 1, _export: {_error: {+x: 3}}}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready, ! cannot add the _error tasks of +w+a: Parameter '+x' must be an object or array of objects
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X13 an _error body that ends at once",
			tree: "{+a: {op>: 1, _error: {+x: {}}}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a^error new, +a^error+x new, +a planned, +a^error planned, +a^error+x planned, +a^error+x success, +a^error success, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
	})
}
