package main

import "testing"

// Parameters in paths of the API are replaced by examples. A path with an unknown one is left out.
func TestFill(t *testing.T) {
	t.Parallel()
	known := &examples{ids: map[string]string{"projects": "3", "attempts": "7", "tasks": "9"}}
	for _, c := range []struct {
		path, want string
	}{
		{"/api/attempts", "/api/attempts"},
		{"/api/attempts/{id}/tasks", "/api/attempts/7/tasks"},
		{"/api/attempts/{id}/tasks/{taskId}/why", "/api/attempts/7/tasks/9/why"},
		{"/api/projects/{id}/workflows/{name}", "/api/projects/3/workflows/workflow1"},
		{"/api/pools/{name}/tasks", "/api/pools/default/tasks"},
		{"/api/agents/{id}", ""},
		{"/api/projects/{id}/workflows/{name}/{other}", ""},
	} {
		got, ok := known.fill(c.path)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("fill(%s): %q, %t, want %q", c.path, got, ok, c.want)
		}
	}
}

// Shares are of what was written between two measurements, and the smallest one counts.
func TestShares(t *testing.T) {
	t.Parallel()
	least, note := shares([]float64{100, 0, 50}, []float64{150, 25, 75})
	if least != 25 || note != "50 % 25 % 25 % of the moves" {
		t.Errorf("shares: %g, %q", least, note)
	}
}

// The name of a bar becomes the name of a file.
func TestProfileName(t *testing.T) {
	t.Parallel()
	if got := (&bar{name: "server: 10,000 tasks a second"}).profile(); got != "server-10000-tasks-a-second.perf" {
		t.Errorf("profile: %s", got)
	}
}
