package api

//go:generate go test -run TestLookFiles . -args -update

// Look is how the state of a task is shown wherever people see it: the web UI has letter, word, shape and colour of each state
// from here alone.
type Look struct {
	Letter  string // one character, unique
	State   string // as in stateDetail; states that only pages have follow the stored ones
	Word    string // for people
	Meaning string // a sentence for the help page
	Hue     string // name of a Hue; empty for none
}

// Hue is a colour with one value for each theme. Colour only helps: shape and word carry the meaning.
type Hue struct {
	Name        string
	Light, Dark string // #RRGGBB
}

// Names of hues.
const (
	hueSuccess  = "success"
	hueError    = "error"
	hueRunning  = "running"
	hueQueued   = "queued"
	hueInput    = "input"
	hueQuiet    = "quiet"
	hueSkipped  = "skipped"
	hueCanceled = "canceled"
)

// Hues are all colours of states. The first five are told apart also by people who see fewer colours; a test computes that.
func Hues() []Hue {
	return []Hue{
		{hueSuccess, "#0A8F82", "#35E8CE"},
		{hueError, "#8E1616", "#E8604E"},
		{hueRunning, "#0B3AA8", "#4F8BC9"},
		{hueQueued, "#AB8012", "#F7BC1E"},
		{hueInput, "#CF1FDB", "#B05CFB"},
		{hueQuiet, "#838B96", "#6E7683"},
		{hueSkipped, "#5F6875", "#98A1AE"},
		{hueCanceled, "#3A3F47", "#C6CBD3"},
	}
}

// Looks are the looks of all states, the worst state first: a folded group is shown as the worst state below it.
func Looks() []Look {
	return []Look{
		{"e", "error", "error", "The task failed.", hueError},
		{"E", "group_error", "group error", "A task in this group failed.", hueError},
		{"x", "kill_requested", "stopping", "The task runs and was asked to stop.", hueRunning},
		{"a", "awaiting_input", "awaiting input", "The task waits for a person's answer.", hueInput},
		{"r", "running", "running", "An agent runs the task.", hueRunning},
		{"w", "retry_waiting", "waiting to retry", "The task runs again after a while: after an error, or to look again.", hueQueued},
		{"W", "group_retry_waiting", "group waiting to retry", "The group starts again after a while.", hueQueued},
		{"d", "deferred", "deferred", "The task waits for something outside without an agent.", hueQueued},
		{"q", "ready", "queued", "The task may run and waits for an agent, a pool or a limit. Its reason says which.", hueQueued},
		{"p", "planned", "tasks below", "The group has begun; its state is that of the tasks below it.", hueRunning},
		{"b", "blocked", "blocked", "The task waits for tasks before it.", hueQuiet},
		{"n", "not_reached", "not reached", "The task will not run, as a task before it failed.", hueQuiet},
		{"c", "canceled", "canceled", "The task was stopped before it ended.", hueCanceled},
		{"k", "skipped", "skipped", "The task was passed over on purpose.", hueSkipped},
		{"s", "success", "success", "The task ended well.", hueSuccess},
		{"m", "missed", "missed", "The session should have started and did not.", hueQueued},
		{".", "absent", "absent", "The task is not part of that revision.", ""},
	}
}

// LookOf returns the look of a state, and whether there is one.
func LookOf(state string) (Look, bool) {
	for _, l := range Looks() {
		if l.State == state {
			return l, true
		}
	}
	return Look{}, false
}
