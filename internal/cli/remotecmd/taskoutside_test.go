package remotecmd

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
)

// Links stand below their task, whole however narrow the window is, so that they can be opened, and are harmless.
func TestTableOfLinks(t *testing.T) {
	t.Parallel()
	url := "https://example.com/" + strings.Repeat("jobs/", 30)
	v, out, _ := testView(60)
	v.show(taskTable(v, []api.Task{{ID: 3, FullName: "+a", State: "running"}, {ID: 4, FullName: "+b", State: "blocked"}}, nil, nil, nil, map[api.ID]*api.TaskOutside{
		3: {
			Links: api.List[api.Link]{{Name: "td job\x1b[2J", URL: url}, {Name: "log", URL: "http://localhost/"}},
			Usage: &api.Usage{PeakMemoryBytes: 1536 << 10},
		},
	}), "none")
	for _, want := range []string{"PEAK", "1.5 MiB\n", "\n  td job^[[2J: " + url + "\n  log: http://localhost/\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the list lacks %q:\n%s", want, out)
		}
	}
	out.Reset()
	v.show(taskTable(v, []api.Task{{ID: 3, FullName: "+a", State: "running"}}, nil, nil, nil, nil), "none")
	if strings.Contains(out.String(), "PEAK") {
		t.Errorf("the list has a column for figures that nobody measured:\n%s", out)
	}
}

func TestUsageText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		usage *api.Usage
		want  string
	}{
		{nil, ""},
		{&api.Usage{PeakMemoryBytes: 999, BytesWritten: 1000}, "peak memory 999 B, written 1.0 KiB"},
		{&api.Usage{CPUTimeMs: 61_000}, "processor time 1m01s"},
		{&api.Usage{PeakMemoryBytes: 2 << 30, BytesWritten: 10 << 20}, "peak memory 2.0 GiB, written 10 MiB"},
		{&api.Usage{PeakMemoryBytes: 1023 << 10, BytesWritten: 1<<63 - 1}, "peak memory 1.0 MiB, written 8.0 EiB"},
	} {
		if got := usageText(&api.TaskOutside{Usage: c.usage}); got != c.want {
			t.Errorf("usageText(%+v) = %q, want %q", c.usage, got, c.want)
		}
	}
}
