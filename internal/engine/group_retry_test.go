package engine_test

import "testing"

// Group retries: language X14, X17, X34 to X42.
func TestGroupRetry(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "10.6 a failing, retried group",
			tree: `{+g: {_retry: 1, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}, _error: {op>: 1}}}`,
			moves: `
				start                -> . planned, +g planned, +g+a ready
				ok +g+a              -> +g+a running, +g+a success, +g+b ready
				fail +g+b no         -> +g+b running, +g+b error, +g group_retry_waiting 0s
				show +g              -> initial wait=group_retry params={"retry_count":1}
				due +g               -> +g ready, +g+a' new, +g+b' new, +g+c' new, +g planned, +g+a' ready
				show +g+a'           -> initial
				ok +g+a'             -> +g+a' running, +g+a' success, +g+b' ready
				fail +g+b' no        -> +g+b' running, +g+b' error, +g^error new, +g planned (failure_tasks), +g^error ready
				scope +g^error error -> {"message":"no"}
				ok +g^error          -> +g^error running, +g^error success, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert   -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X38 X17 a retried group begins anew, and succeeds although failed tasks remain",
			tree: "{+g: {_retry: 2, +a: {op>: 1}, +b: {op>: 1}}, +c: {op>: 1}}",
			moves: `
				start                    -> . planned, +g planned, +g+a ready
				ok +g+a {store: {k: 1}}  -> +g+a running, +g+a success, +g+b ready
				fail +g+b no             -> +g+b running, +g+b error, +g group_retry_waiting 0s
				due +g                   -> +g ready, +g+a' new, +g+b' new, +g planned, +g+a' ready
				scope +g+a' k            -> absent
				ok +g+a' {store: {k: 2}} -> +g+a' running, +g+a' success, +g+b' ready
				scope +g+b' k            -> 2
				ok +g+b'                 -> +g+b' running, +g+b' success, +g success, +c ready
				scope +c k               -> 2
				ok +c                    -> +c running, +c success, . success, success`,
		},
		{
			name: "X37 upstreams are those of the copies, groups inside are copied whole",
			tree: "{+g: {_retry: 1, +a: {op>: 1}, +h: {_parallel: {limit: 1}, +x: {op>: 1}, +y: {op>: 1}}, +z: {op>: 1}}}",
			moves: `
				start          -> . planned, +g planned, +g+a ready
				ok +g+a        -> +g+a running, +g+a success, +g+h planned, +g+h+x ready
				ok +g+h+x      -> +g+h+x running, +g+h+x success, +g+h+y ready
				fail +g+h+y no -> +g+h+y running, +g+h+y error, +g+h group_error, +g group_retry_waiting 0s
				due +g         -> +g ready, +g+a' new, +g+h' new, +g+h+x' new, +g+h+y' new, +g+z' new, +g planned, +g+a' ready
				ok +g+a'       -> +g+a' running, +g+a' success, +g+h' planned, +g+h+x' ready
				ok +g+h+x'     -> +g+h+x' running, +g+h+x' success, +g+h+y' ready
				ok +g+h+y'     -> +g+h+y' running, +g+h+y' success, +g+h' success, +g+z' ready
				ok +g+z'       -> +g+z' running, +g+z' success, +g success, . success, success`,
		},
		{
			name: "X34 C29 delays of an exponential interval",
			tree: "{+g: {_retry: {limit: 3, interval: 10, interval_type: exponential, max_interval: 15}, +a: {op>: 1}}}",
			moves: `
				start              -> . planned, +g planned, +g+a ready
				fail +g+a no       -> +g+a running, +g+a error, +g group_retry_waiting 10s
				show +g            -> initial wait=group_retry params={"retry_count":1}
				early +g           ->
				due +g             -> +g ready, +g+a' new, +g planned, +g+a' ready
				fail +g+a' no      -> +g+a' running, +g+a' error, +g group_retry_waiting 15s
				due +g             -> +g ready, +g+a'' new, +g planned, +g+a'' ready
				fail +g+a'' no     -> +g+a'' running, +g+a'' error, +g group_retry_waiting 15s
				due +g             -> +g ready, +g+a''' new, +g planned, +g+a''' ready
				fail +g+a''' no    -> +g+a''' running, +g+a''' error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X36 an operator whose subtasks failed runs again, with state params kept",
			tree: "{+a: {op>: 1, _retry: 1}}",
			moves: `
				start                                      -> . planned, +a ready
				poll +a 1s {n: 7}                          -> +a running, +a retry_waiting 1s
				due +a                                     -> +a ready
				ok +a {sub: {+x: {op>: 1}}, store: {k: 1}} -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub planned, +a^sub+x ready
				fail +a^sub+x no                           -> +a^sub+x running, +a^sub+x error, +a^sub group_error, +a group_retry_waiting 0s
				show +a                                    -> initial try=2 retry_count=1 wait=group_retry started=0s params={"n":7,"retry_count":1} sub={"+x":{"op>":1}} store={"k":1}
				due +a                                     -> +a ready
				show +a                                    -> initial try=2 retry_count=1 started=0s params={"n":7,"retry_count":1} sub={"+x":{"op>":1}} store={"k":1}
				ok +a {sub: {+x: {op>: 1}}}                -> +a running, +a planned, +a^sub' new, +a^sub+x' new, +a^sub' planned, +a^sub+x' ready
				show +a                                    -> initial try=3 retry_count=1 started=0s params={"n":7,"retry_count":1} sub={"+x":{"op>":1}}
				ok +a^sub+x'                               -> +a^sub+x' running, +a^sub+x' success, +a^sub' success, +a success, . success, success`,
		},
		{
			name: "X36 one retry count for failures of the operator and of its subtasks",
			tree: "{+a: {op>: 1, _retry: 2}}",
			moves: `
				start                        -> . planned, +a ready
				retry +a 0s {retry_count: 1} -> +a running, +a retry_waiting 0s
				due +a                       -> +a ready
				ok +a {sub: {op>: 1}}        -> +a running, +a planned, +a^sub new, +a^sub ready
				fail +a^sub no               -> +a^sub running, +a^sub error, +a group_retry_waiting 0s
				show +a                      -> initial try=2 retry_count=1 wait=group_retry started=0s params={"retry_count":2} sub={"op>":1}
				due +a                       -> +a ready
				ok +a {sub: {op>: 1}}        -> +a running, +a planned, +a^sub' new, +a^sub' ready
				fail +a^sub' no              -> +a^sub' running, +a^sub' error, +a group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert           -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X14 only the last run of an operator counts, subtasks or none (differs from Digdag)",
			tree: "{+a: {op>: 1, _retry: 1, _check: {op>: 1}}}",
			moves: `
				start                 -> . planned, +a ready
				ok +a {sub: {op>: 1}} -> +a running, +a planned, +a^sub new, +a^check new, +a^sub ready
				fail +a^sub no        -> +a^sub running, +a^sub error, +a group_retry_waiting 0s
				due +a                -> +a ready
				ok +a                 -> +a running, +a planned, +a^check' new, +a^check' ready
				ok +a^check'          -> +a^check' running, +a^check' success, +a success, . success, success`,
		},
		{
			name: "X14 a second run without subtasks and _check is a success at once",
			tree: "{+a: {op>: 1, _retry: 1}}",
			moves: `
				start                                -> . planned, +a ready
				ok +a {sub: {op>: 1}, store: {k: 1}} -> +a running, +a planned, +a^sub new, +a^sub ready
				fail +a^sub no                       -> +a^sub running, +a^sub error, +a group_retry_waiting 0s
				due +a                               -> +a ready
				ok +a                                -> +a running, +a success, . success, success
				show +a                              -> initial try=2 started=0s params={"retry_count":1}`,
		},
		{
			name: "X18 a failed ^check runs the operator again",
			tree: "{+a: {op>: 1, _retry: 1, _check: {op>: 1}}}",
			moves: `
				start            -> . planned, +a ready
				ok +a            -> +a running, +a planned, +a^check new, +a^check ready
				fail +a^check no -> +a^check running, +a^check error, +a group_retry_waiting 0s
				due +a           -> +a ready
				ok +a            -> +a running, +a planned, +a^check' new, +a^check' ready
				ok +a^check'     -> +a^check' running, +a^check' success, +a success, . success, success`,
		},
		{
			name: "X39 an inner group has retries of its own in every run of the outer one (differs from Digdag)",
			tree: "{+o: {_retry: 1, +i: {_retry: 1, +a: {op>: 1}}}}",
			moves: `
				start            -> . planned, +o planned, +o+i planned, +o+i+a ready
				fail +o+i+a no   -> +o+i+a running, +o+i+a error, +o+i group_retry_waiting 0s
				due +o+i         -> +o+i ready, +o+i+a' new, +o+i planned, +o+i+a' ready
				fail +o+i+a' no  -> +o+i+a' running, +o+i+a' error, +o+i group_error, +o group_retry_waiting 0s
				due +o           -> +o ready, +o+i' new, +o+i+a'' new, +o planned, +o+i' planned, +o+i+a'' ready
				fail +o+i+a'' no -> +o+i+a'' running, +o+i+a'' error, +o+i' group_retry_waiting 0s
				due +o+i'        -> +o+i' ready, +o+i+a''' new, +o+i' planned, +o+i+a''' ready
				ok +o+i+a'''     -> +o+i+a''' running, +o+i+a''' success, +o+i' success, +o success, . success, success`,
		},
		{
			name: "X37 a group in an _error body is retried too (differs from Digdag)",
			tree: "{+a: {op>: 1, _error: {_retry: 1, +x: {op>: 1}}}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a^error new, +a^error+x new, +a planned, +a^error planned, +a^error+x ready
				fail +a^error+x no -> +a^error+x running, +a^error+x error, +a^error group_retry_waiting 0s
				due +a^error       -> +a^error ready, +a^error+x' new, +a^error planned, +a^error+x' ready
				show +a^error+x'   ->
				ok +a^error+x'     -> +a^error+x' running, +a^error+x' success, +a^error success, +a error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X37 a group of subtasks is retried by itself, and rebuilt by its operator",
			tree: "{+a: {op>: 1, _retry: 1}}",
			moves: `
				start                                  -> . planned, +a ready
				ok +a {sub: {_retry: 1, +x: {op>: 1}}} -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub planned, +a^sub+x ready
				fail +a^sub+x no                       -> +a^sub+x running, +a^sub+x error, +a^sub group_retry_waiting 0s
				due +a^sub                             -> +a^sub ready, +a^sub+x' new, +a^sub planned, +a^sub+x' ready
				fail +a^sub+x' no                      -> +a^sub+x' running, +a^sub+x' error, +a^sub group_error, +a group_retry_waiting 0s
				due +a                                 -> +a ready
				ok +a {sub: {_retry: 1, +x: {op>: 1}}} -> +a running, +a planned, +a^sub' new, +a^sub+x'' new, +a^sub' planned, +a^sub+x'' ready
				fail +a^sub+x'' no                     -> +a^sub+x'' running, +a^sub+x'' error, +a^sub' group_retry_waiting 0s
				due +a^sub'                            -> +a^sub' ready, +a^sub+x''' new, +a^sub' planned, +a^sub+x''' ready
				ok +a^sub+x'''                         -> +a^sub+x''' running, +a^sub+x''' success, +a^sub' success, +a success, . success, success`,
		},
		{
			name: "X37 generated tasks are not copied, their operators make them anew",
			tree: "{+g: {_retry: 1, +a: {op>: 1, _check: {op>: 1}}, +b: {op>: 1, _error: {op>: 1}}}}",
			moves: `
				start                   -> . planned, +g planned, +g+a ready
				ok +g+a {sub: {op>: 1}} -> +g+a running, +g+a planned, +g+a^sub new, +g+a^check new, +g+a^sub ready
				ok +g+a^sub             -> +g+a^sub running, +g+a^sub success, +g+a^check ready
				ok +g+a^check           -> +g+a^check running, +g+a^check success, +g+a success, +g+b ready
				fail +g+b no            -> +g+b running, +g+b^error new, +g+b planned, +g+b^error ready
				ok +g+b^error           -> +g+b^error running, +g+b^error success, +g+b error, +g group_retry_waiting 0s
				due +g                  -> +g ready, +g+a' new, +g+b' new, +g planned, +g+a' ready
				ok +g+a'                -> +g+a' running, +g+a' planned, +g+a^check' new, +g+a^check' ready
				ok +g+a^check'          -> +g+a^check' running, +g+a^check' success, +g+a' success, +g+b' ready
				ok +g+b'                -> +g+b' running, +g+b' success, +g success, . success, success`,
		},
		{
			name: "X35 C31 an expression in _retry is ignored for subtrees",
			tree: "{+g: {_retry: '${n}', +a: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a ready
				fail +g+a no -> +g+a running, +g+a error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready, ! cannot retry +w+g: Expected integer (int) type for key '_retry' but got "${n}" (string)`,
		},
		{
			name: "C28 C30 no retry with a limit of zero, a retry with a text",
			tree: "{_parallel: true, +g: {_retry: 0, +a: {op>: 1}}, +h: {_retry: '1', +a: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +h planned, +g+a ready, +h+a ready
				fail +g+a no -> +g+a running, +g+a error, +g group_error
				fail +h+a no -> +h+a running, +h+a error, +h group_retry_waiting 0s`,
		},
		{
			name: "C3 _retry inside _export works for the group itself",
			tree: "{+g: {_export: {_retry: 1}, +a: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a ready
				fail +g+a no -> +g+a running, +g+a error, +g group_retry_waiting 0s
				due +g       -> +g ready, +g+a' new, +g planned, +g+a' ready
				ok +g+a'     -> +g+a' running, +g+a' success, +g success, . success, success`,
		},
		{
			name: "X41 X40 the root is retried before the alert",
			tree: "{_retry: 1, _error: {op>: 1}, +a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, . group_retry_waiting 0s
				due .              -> . ready, +a' new, . planned, +a' ready
				fail +a' no        -> +a' running, +a' error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				ok .^error         -> .^error running, .^error success
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X37 a retried group of empty groups ends at once",
			tree: "{+g: {_retry: 1, _parallel: true, +a: {+x: {}}, +b: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a planned, +g+b ready, +g+a+x planned, +g+a+x success, +g+a success
				fail +g+b no -> +g+b running, +g+b error, +g group_retry_waiting 0s
				due +g       -> +g ready, +g+a' new, +g+a+x' new, +g+b' new, +g planned, +g+a' planned, +g+b' ready, +g+a+x' planned, +g+a+x' success, +g+a' success
				ok +g+b'     -> +g+b' running, +g+b' success, +g success, . success, success`,
		},
		{
			name: "X12 what was blocked in an earlier run does not hold the next",
			tree: "{+g: {_retry: 1, +a: {op>: 1}, +b: {op>: 1}}}",
			moves: `
				start        -> . planned, +g planned, +g+a ready
				fail +g+a no -> +g+a running, +g+a error, +g group_retry_waiting 0s
				due +g       -> +g ready, +g+a' new, +g+b' new, +g planned, +g+a' ready
				crash        ->
				ok +g+a'     -> +g+a' running, +g+a' success, +g+b' ready
				ok +g+b'     -> +g+b' running, +g+b' success, +g success, . success, success`,
		},
	})
}
