package trowel_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// diagram draws Transitions as docs/states.md has it.
func diagram() []string {
	lines := []string{"stateDiagram-v2", "    [*] --> blocked: insert"}
	ends := map[string]bool{}
	for _, row := range trowel.TransitionRules() {
		lines = append(lines, "    "+row.From.String()+" --> "+row.To.String()+": "+string(row.Transition)+" ("+row.Rule+")")
		if row.To.Done() && !ends[row.To.String()] {
			ends[row.To.String()] = true
		}
	}
	for state := trowel.TaskBlocked; state <= trowel.TaskAwaitingInput; state++ {
		if ends[state.String()] {
			lines = append(lines, "    "+state.String()+" --> [*]")
		}
	}
	return lines
}

// The table of moves and its picture are equal.
func TestStatesAreDrawn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```mermaid\n")
	drawn, _, _ := strings.Cut(rest, "\n```")
	if diff := cmp.Diff(strings.Join(diagram(), "\n"), drawn); diff != "" {
		t.Errorf("docs/states.md differs from Transitions (-want +got):\n%s\nwant:\n%s", diff, strings.Join(diagram(), "\n"))
	}
}

// Terminal states are never left (language X2), no change is listed twice, and each state that a
// task can be in can be reached and left.
func TestTransitions(t *testing.T) {
	t.Parallel()
	reached := map[trowel.TaskState]bool{trowel.TaskBlocked: true}
	left := map[trowel.TaskState]bool{}
	seen := map[trowel.TransitionRule]bool{}
	for _, row := range trowel.TransitionRules() {
		if row.From.Done() {
			t.Errorf("%s is terminal and left by %s to %s", row.From, row.Transition, row.To)
		}
		if row.From != row.To {
			reached[row.To], left[row.From] = true, true
		}
		row.Rule = ""
		if seen[row] {
			t.Errorf("%s from %s to %s is listed twice", row.Transition, row.From, row.To)
		}
		seen[row] = true
	}
	for state := trowel.TaskBlocked; state <= trowel.TaskCanceled; state++ {
		if !reached[state] {
			t.Errorf("%s is never reached", state)
		}
		if left[state] == state.Done() {
			t.Errorf("%s: left = %v, terminal = %v", state, left[state], state.Done())
		}
	}
}

// X1: the numbers are stored.
func TestTaskStateCodes(t *testing.T) {
	t.Parallel()
	want := []string{
		"blocked", "ready", "retry_waiting", "group_retry_waiting", "running", "planned", "group_error", "success", "error", "canceled",
		"skipped", "deferred", "awaiting_input",
	}
	for code, name := range want {
		if got := trowel.TaskState(code).String(); got != name {
			t.Errorf("TaskState(%d) = %s, want %s", code, got, name)
		}
	}
}
