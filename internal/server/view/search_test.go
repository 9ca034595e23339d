package view_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// found returns the projects and statuses of all pages of a search.
func found(t *testing.T, h *servertest.Server, query string, header ...string) (texts []string) {
	t.Helper()
	for cursor := ""; ; {
		page := servertest.Read[api.AttemptSearch](t, h.Do(t, http.MethodGet, "/api/search/attempts?limit=1&"+query+"&cursor="+url.QueryEscape(cursor), "", "", header...), 200)
		for i := range page.Items {
			texts = append(texts, page.Items[i].Project.Name+" "+page.Items[i].Status)
		}
		if page.Next == nil {
			return texts
		}
		cursor = *page.Next
	}
}

// TestSearchAttempts checks A11: each filter, pages, and that a token of a project finds nothing else.
func TestSearchAttempts(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	one, two := h.InsertTasks(t, "one"), h.InsertTasks(t, "two")
	h.Post(t, "/api/attempts/"+strconv.Itoa(int(two))+"/kill", "")
	for query, want := range map[string][]string{
		"":                                 {"two running", "one running"},
		"sort=createdAt":                   {"one running", "two running"},
		"status=running&project=one":       {"one running"},
		"project=two&workflow=main":        {"two running"},
		"project=two&workflow=none":        nil,
		"status=error":                     nil,
		"createdFrom=2000-01-01T00:00:00Z": {"two running", "one running"},
		"createdTo=2000-01-01T00:00:00Z":   nil,
		"unit=session&project=one":         {"one running"},
	} {
		if diff := cmp.Diff(want, found(t, h, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	for query, want := range map[string]string{
		"stauts=error":  `"message":"there is no parameter \"stauts\": there are limit, cursor, unit, status, project, workflow, createdFrom, createdTo, sort"`,
		"statsu=error":  `"hint":"did you mean status?"`,
		"page_size=1":   `"where":"page_size"`,
		"limit=1&=&x=1": `there is no parameter \"\"`,
	} {
		if a := h.Get(t, "/api/search/attempts?"+query); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, want) {
			t.Errorf("%s: %d %s, want 400 with %s", query, a.Status, a.Body, want)
		}
	}
	bearer := []string{"Authorization", "Bearer " + h.Token(t, access.RoleRead, "one")}
	for query, want := range map[string][]string{"": {"one running"}, "project=one": {"one running"}, "status=error": nil} {
		if diff := cmp.Diff(want, found(t, h, query, bearer...)); diff != "" {
			t.Errorf("token of a project, %s (-want +got):\n%s", query, diff)
		}
	}
	if a := h.Do(t, http.MethodGet, "/api/search/attempts?project=two", "", "", bearer...); a.Status != http.StatusForbidden && a.Status != http.StatusNotFound {
		t.Errorf("another project's attempts: %d %s", a.Status, a.Body)
	}
	item := servertest.Read[api.AttemptSearch](t, h.Get(t, "/api/search/attempts?project=one"), 200).Items[0]
	if got, err := item.Listed(); err != nil || int64(got.ID) != int64(one) || !strings.Contains(item.CreatedAt, ".") || got.CreatedAt.IsZero() {
		t.Errorf("item = %+v, %v, want attempt %d with milliseconds", item, err, one)
	}
	for query, where := range map[string]string{
		"status=failed": "status", "sort=id": "sort", "unit=task": "unit", "createdFrom=yesterday": "createdFrom", "createdTo=1": "createdTo",
		"workflow=main": "workflow", "limit=0": "limit", "cursor=x": "cursor", "cursor=MQ": "cursor",
	} {
		a := h.Get(t, "/api/search/attempts?"+query)
		if refused := servertest.Read[api.Error](t, a, http.StatusBadRequest); refused.Where != where || refused.Message == nil {
			t.Errorf("%s: %s, want what is wrong with %s", query, a.Body, where)
		}
	}
	if a := h.Get(t, "/api/search/attempts?project=none"); a.Status != http.StatusNotFound || !strings.Contains(a.Body, `"code":"not_found"`) {
		t.Errorf("an unknown project: %d %s", a.Status, a.Body)
	}
}

// Pages of attempts with large parameters end early. Clients that read on get all attempts.
func TestPagesOfLargeAttempts(t *testing.T) {
	t.Parallel()
	const attempts = 10
	h := servertest.New(t, nil)
	h.InsertTasks(t, "one")
	w := servertest.Read[api.WorkflowCollection](t, h.Get(t, "/api/workflows"), 200).Workflows[0]
	for i := range attempts - 1 {
		a := h.Put(t, "/api/attempts", fmt.Sprintf(`{"workflowId":"%s","sessionTime":"2024-05-%02dT00:00:00Z","params":{"x":"%s"}}`, w.ID, i+1, strings.Repeat("x", 1_000_000)))
		if a.Status != http.StatusOK {
			t.Fatalf("start: %d %.200s", a.Status, a.Body)
		}
	}
	type page struct {
		Attempts, Sessions, Items []struct{ ID api.ID }
		Next                      *string
	}
	of := func(p *page) []struct{ ID api.ID } { return append(append(p.Attempts, p.Sessions...), p.Items...) }
	for _, path := range []string{
		"/api/attempts?", "/api/attempts?page_size=-1&", "/api/attempts?project=one&", "/api/sessions?", "/api/projects/1/sessions?", "/api/search/attempts?",
	} {
		pages, seen, asked := 0, map[api.ID]bool{}, path
		for {
			p := servertest.Read[page](t, h.Get(t, asked), 200)
			for _, item := range of(&p) {
				seen[item.ID] = true
			}
			if pages++; len(of(&p)) > 5 {
				t.Errorf("%s: a page has %d attempts of a million bytes", path, len(of(&p)))
			}
			switch {
			case p.Next != nil:
				asked = path + "cursor=" + *p.Next
				continue
			case p.Items == nil && len(of(&p)) > 0:
				asked = path + "last_id=" + of(&p)[len(of(&p))-1].ID.String()
				continue
			}
			break
		}
		if len(seen) != attempts || pages < 2 {
			t.Errorf("%s: %d attempts on %d pages, want %d", path, len(seen), pages, attempts)
		}
	}
}
