package engine_test

import "testing"

// What a task sees: language P1 to P9. Revision and session parameters are a, m and r of
// testSetting.
func TestScope(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "P5 the example of section 4.2",
			tree: `{_export: {v: root},
				+a: {_export: {v: a}, +store: {op>: 1}, +use: {op>: 1}},
				+b: {+use: {op>: 1}},
				+c: {_export: {v: c}, +use: {op>: 1}},
				+d: {_export: {v: d}, op>: 1}}`,
			moves: `
				start                       -> . planned, +a planned, +a+store ready
				scope +a+store v            -> "a"
				ok +a+store {store: {v: s}} -> +a+store running, +a+store success, +a+use ready
				scope +a+use v              -> "s"
				ok +a+use                   -> +a+use running, +a+use success, +a success, +b planned, +b+use ready
				scope +b+use v              -> "s"
				ok +b+use                   -> +b+use running, +b+use success, +b success, +c planned, +c+use ready
				scope +c+use v              -> "c"
				ok +c+use                   -> +c+use running, +c+use success, +c success, +d ready
				scope +d v                  -> "d"`,
		},
		{
			name: "P3 P7 revision, session, _export: later wins, objects merge",
			tree: "{_export: {a: exported}, +x: {op>: 1}, +y: {_export: {m: {y: own}}, op>: 1}}",
			moves: `
				start      -> . planned, +x ready
				scope +x r -> "revision"
				scope +x a -> "exported"
				scope +x m -> {"x":"session"}
				ok +x      -> +x running, +x success, +y ready
				scope +y m -> {"x":"session","y":"own"}`,
		},
		{
			name: "P1 P3 neither keys of groups nor _error and _check are seen, nor own local keys",
			tree: "{_retry: 1, +g: {_parallel: true, _export: {_error: {op>: 1}, k: 1}, +x: {op>: 1, own: 1}}}",
			moves: `
				start                -> . planned, +g planned, +g+x ready
				scope +g+x _retry    -> absent
				scope +g+x _parallel -> absent
				scope +g+x _error    -> absent
				scope +g+x own       -> absent
				scope +g+x k         -> 1`,
		},
		{
			name: "P2 exports of an operator are for what it generates, stores also for what follows",
			tree: "{+a: {op>: 1, _export: {e: static, f: static}, _check: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start                                                      -> . planned, +a ready
				ok +a {sub: {op>: 1}, export: {e: dynamic}, store: {s: 1}} -> +a running, +a planned, +a^sub new, +a^check new, +a^sub ready
				scope +a^sub e                                             -> "dynamic"
				scope +a^sub f                                             -> "static"
				scope +a^sub s                                             -> 1
				ok +a^sub {store: {s: 2}}                                  -> +a^sub running, +a^sub success, +a^check ready
				scope +a^check e                                           -> "dynamic"
				scope +a^check s                                           -> 2
				ok +a^check {store: {s: 3}}                                -> +a^check running, +a^check success, +a success, +b ready
				scope +b e                                                 -> absent
				scope +b s                                                 -> 3`,
		},
		{
			name: "P5 a join sees what it waits for, in the order of the file",
			tree: "{+g: {_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}, +join: {_after: [+b, +a], op>: 1}}, +last: {op>: 1}}",
			moves: `
				start                         -> . planned, +g planned, +g+a ready, +g+b ready, +g+c ready
				ok +g+c {store: {v: c, c: 1}} -> +g+c running, +g+c success
				ok +g+b {store: {v: b}}       -> +g+b running, +g+b success
				ok +g+a {store: {v: a}}       -> +g+a running, +g+a success, +g+join ready
				scope +g+join v               -> "b"
				scope +g+join c               -> absent
				ok +g+join                    -> +g+join running, +g+join success, +g success, +last ready
				scope +last v                 -> "c"
				scope +last c                 -> 1`,
		},
		{
			name: "P4 siblings come in the order of their ids, each after what it waits for itself",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {_after: [+a], op>: 1}, +d: {_after: [+b, +c], op>: 1}}",
			moves: `
				start                 -> . planned, +a ready, +b ready
				ok +b {store: {v: b}} -> +b running, +b success
				ok +a {store: {v: a}} -> +a running, +a success, +c ready
				ok +c                 -> +c running, +c success, +d ready
				scope +d v            -> "a"`,
		},
		{
			name: "P5 parallel branches and background children see nothing of each other",
			tree: "{+a: {op>: 1}, +b: {_background: true, op>: 1}, +c: {_parallel: true, +x: {op>: 1}, +y: {op>: 1}}}",
			moves: `
				start                   -> . planned, +a ready, +b ready
				ok +a {store: {v: a}}   -> +a running, +a success
				scope +b v              -> absent
				ok +b {store: {v: b}}   -> +b running, +b success, +c planned, +c+x ready, +c+y ready
				scope +c+x v            -> "b"
				ok +c+x {store: {v: x}} -> +c+x running, +c+x success
				scope +c+y v            -> "b"`,
		},
		{
			name: "P4 chunks see all earlier chunks",
			tree: "{_parallel: {limit: 2}, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}, +d: {op>: 1}, +e: {op>: 1}}",
			moves: `
				start                       -> . planned, +a ready, +b ready
				ok +b {store: {v: b, b: 1}} -> +b running, +b success
				ok +a {store: {v: a, a: 1}} -> +a running, +a success, +c ready, +d ready
				scope +c v                  -> "b"
				ok +d {store: {v: d}}       -> +d running, +d success
				ok +c                       -> +c running, +c success, +e ready
				scope +e v                  -> "d"
				scope +e a                  -> 1
				scope +e b                  -> 1`,
		},
		{
			name: "P6 a reset comes before the stores of the same task",
			tree: "{+a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}",
			moves: `
				start                                                                -> . planned, +a ready
				ok +a {store: {td: {last: {x: 1}, other: 2}, k: 1}}                  -> +a running, +a success, +b ready
				ok +b {reset: [td.last, k, none.there], store: {td: {last: {y: 1}}}} -> +b running, +b success, +c ready
				scope +c td                                                          -> {"other":2,"last":{"y":1}}
				scope +c k                                                           -> absent`,
		},
		{
			name: "P6 a reset holds below the task and after it",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start                             -> . planned, +a ready
				ok +a {sub: {op>: 1}, reset: [r]} -> +a running, +a planned, +a^sub new, +a^sub ready
				scope +a^sub r                    -> absent
				ok +a^sub                         -> +a^sub running, +a^sub success, +a success, +b ready
				scope +b r                        -> absent`,
		},
		{
			name: "P9 null hides",
			tree: "{_export: {a: null}, +x: {op>: 1}}",
			moves: `
				start      -> . planned, +x ready
				scope +x a -> null`,
		},
		{
			name: "P5 the last run of a retried group wins for what follows, runs do not see each other",
			tree: "{+g: {_retry: 1, +a: {op>: 1}, +b: {op>: 1}}, +c: {op>: 1}}",
			moves: `
				start                             -> . planned, +g planned, +g+a ready
				ok +g+a {store: {v: 1, first: 1}} -> +g+a running, +g+a success, +g+b ready
				fail +g+b no                      -> +g+b running, +g+b error, +g group_retry_waiting 0s
				due +g                            -> +g ready, +g+a' new, +g+b' new, +g planned, +g+a' ready
				scope +g+a' v                     -> absent
				ok +g+a' {store: {v: 2}}          -> +g+a' running, +g+a' success, +g+b' ready
				scope +g+b' v                     -> 2
				scope +g+b' first                 -> absent
				ok +g+b'                          -> +g+b' running, +g+b' success, +g success, +c ready
				scope +c v                        -> 2
				scope +c first                    -> 1`,
		},
		{
			name: "P2 a repeated operator is seen with its last result",
			tree: "{+a: {op>: 1, _retry: 1}, +b: {op>: 1}}",
			moves: `
				start                                                -> . planned, +a ready
				ok +a {sub: {op>: 1}, export: {e: 1}, store: {s: 1}} -> +a running, +a planned, +a^sub new, +a^sub ready
				scope +a^sub e                                       -> 1
				fail +a^sub no                                       -> +a^sub running, +a^sub error, +a group_retry_waiting 0s
				due +a                                               -> +a ready
				scope +a s                                           -> absent
				ok +a {sub: {op>: 1}, export: {e: 2}}                -> +a running, +a planned, +a^sub' new, +a^sub' ready
				scope +a^sub' e                                      -> 2
				scope +a^sub' s                                      -> absent
				ok +a^sub'                                           -> +a^sub' running, +a^sub' success, +a success, +b ready
				scope +b s                                           -> absent`,
		},
		{
			name: "P3 exports and stores are interleaved by depth",
			tree: "{+a: {op>: 1}, +g: {_export: {v: g}, +h: {+x: {op>: 1}, +i: {_export: {w: i}, +y: {op>: 1}}}}}",
			moves: `
				start                           -> . planned, +a ready
				ok +a {store: {v: a, w: a}}     -> +a running, +a success, +g planned, +g+h planned, +g+h+x ready
				scope +g+h+x v                  -> "g"
				ok +g+h+x {store: {v: x, w: x}} -> +g+h+x running, +g+h+x success, +g+h+i planned, +g+h+i+y ready
				scope +g+h+i+y v                -> "x"
				scope +g+h+i+y w                -> "i"`,
		},
		{
			name: "P3 a crash between any two moves changes nothing of it",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {_after: [+a], op>: 1}, +c: {_after: [+a, +b], op>: 1}}",
			moves: `
				start                                  -> . planned, +a ready
				ok +a {store: {v: a}}                  -> +a running, +a success, +b ready
				crash                                  ->
				ok +b {reset: [v], store: {m: {x: b}}} -> +b running, +b success, +c ready
				crash                                  ->
				scope +c v                             -> absent
				scope +c m                             -> {"x":"b"}`,
		},
	})
}
