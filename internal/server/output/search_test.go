package output_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// TestSearchLog checks matches in one task and in several.
func TestSearchLog(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := logged(t, h, "one")
	path := fmt.Sprintf("/api/attempts/%d/log/search?", id)
	got := servertest.Read[api.LogSearch](t, h.Get(t, fmt.Sprintf("%stask=%d&q=ERROR&limit=1", path, id*1000+1)), 200)
	next := "13"
	want := api.LogSearch{
		Items: []api.LogMatch{{Offset: 8, Line: 2, Column: 2, Length: 5, Text: "1 error: x", Before: []string{"1 one"}, After: []string{"1 three", "2 one"}}},
		Next:  &next, ScannedTo: 13, Size: 50, Matches: 1, Done: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	got = servertest.Read[api.LogSearch](t, h.Get(t, fmt.Sprintf("%stask=%d&q=ERROR&limit=1&from=13", path, id*1000+1)), 200)
	if len(got.Items) != 1 || got.Items[0].Offset != 33 || got.Items[0].Line != 5 || got.Next == nil {
		t.Errorf("the second = %+v", got)
	}
	var places []string
	all := servertest.Read[api.LogSearch](t, h.Get(t, path+"regex=1&q="+url.QueryEscape("one$|<s")), 200)
	for _, m := range all.Items {
		places = append(places, fmt.Sprintf("%d %s %d", m.Line, *m.Task, *m.TaskID-api.ID(id*1000)))
	}
	wantPlaces := []string{"2 +main+a 3", "5 +main+a 3", "8 +main+b/é 2", "9 +main+b/é 2"}
	if diff := cmp.Diff(wantPlaces, places); diff != "" || all.Next != nil || all.Matches != 4 || all.Done {
		t.Errorf("in all tasks: %+v (-want +got):\n%s", all, diff)
	}
	counted := servertest.Read[api.LogSearch](t, h.Get(t, path+"count=true&limit=1&q=e"), 200)
	if len(counted.Items) != 1 || counted.Matches < 5 || counted.Next != nil || counted.ScannedTo != counted.Size {
		t.Errorf("counted = %+v", counted)
	}
	for query, where := range map[string]string{
		"": "q", "q=(&regex=1": "q", "q=" + strings.Repeat("a", 10_000): "q", "q=x&level=loud": "q", "q=x&from=-1": "from", "q=x&limit=501": "limit", "q=x&limit=0": "limit",
	} {
		if a := h.Get(t, path+query); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, `"where":"`+where+`"`) {
			t.Errorf("%.40s = %d %s, want 400 about %s", query, a.Status, a.Body, where)
		}
	}
	logged(t, h, "two")
	other := "Bearer " + h.Token(t, access.RoleRead, "two")
	if a := h.Do(t, http.MethodGet, path+"q=x", "", "", "Authorization", other); a.Status != http.StatusNotFound {
		t.Errorf("another project's output = %d %s, want 404", a.Status, a.Body)
	}
}

// TestSearchLogEnds checks that a request ends in time, and says how to go on.
func TestSearchLogEnds(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := h.InsertTasks(t, "one", &trowel.Task{FullName: "+main+a", State: trowel.TaskSuccess, Try: 1, ClaimedAt: start})
	text := strings.Repeat(strings.Repeat("a", 63)+"\n", 70<<20/64)
	write(t, h, id, "+main+a", start, text)
	for _, query := range []string{"q=b", "regex=1&q=" + url.QueryEscape("(a{1,20}){1,20}b")} {
		from := "0"
		var calls int
		for calls = 1; calls <= 3; calls++ {
			began := time.Now()
			got := servertest.Read[api.LogSearch](t, h.Get(t, fmt.Sprintf("/api/attempts/%d/log/search?%s&from=%s", id, query, from)), 200)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s took %v", query, took)
			}
			if got.Next == nil {
				break
			}
			if *got.Next == from {
				t.Fatalf("%s does not go on from %s", query, from)
			}
			from = *got.Next
		}
		if query == "q=b" && calls < 2 {
			t.Errorf("%s was searched in one go", query)
		}
	}
}
