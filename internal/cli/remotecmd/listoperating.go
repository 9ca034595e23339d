package remotecmd

import (
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/terminal"
)

// The tables of what a server has for its tasks: pools, queues, agents and tokens.

func poolTable(pools []api.Pool) *listTable {
	t := &listTable{painted: -1, columns: []listColumn{
		{title: "POOL", least: 12},
		{title: "PROJECT", least: 8, drop: 1},
		{title: "SLOTS", right: true},
		{title: "USED", right: true},
		{title: "WAITING", right: true},
		{title: "DESCRIPTION", least: 12, drop: 2},
	}}
	for i := range pools {
		p := &pools[i]
		project := ""
		if p.Project != nil {
			project = p.Project.Name
		}
		t.rows = append(t.rows, listRow{cells: []string{p.Name, project, slotsText(p.Slots), strconv.Itoa(p.Used), strconv.Itoa(p.Waiting), p.Description}})
	}
	return t
}

func queueTable(queues []api.Queue) *listTable {
	t := &listTable{painted: -1, columns: []listColumn{
		{title: "QUEUE", least: 12},
		{title: "READY", right: true},
		{title: "RUNNING", right: true},
		{title: "AGENTS", right: true},
		{title: "SLOTS", right: true},
		{title: "WAITS SINCE", right: true, drop: 1},
		{title: "HAND-OFF 99 %", right: true, drop: 3},
		{title: "TASKS/MIN", right: true, drop: 2},
	}}
	for i := range queues {
		q := &queues[i]
		cells := []string{q.Name, strconv.Itoa(q.Ready), strconv.Itoa(q.Running), strconv.Itoa(q.Agents), optSlots(q.Slots), "", "", ""}
		if q.OldestReadyMS != nil {
			cells[5] = roughText(millis(*q.OldestReadyMS))
		}
		if q.P99MS != nil && q.RatePerMin != nil {
			cells[6], cells[7] = shortText(*q.P99MS), figure(*q.RatePerMin)
		}
		t.rows = append(t.rows, listRow{cells: cells})
	}
	return t
}

// agentTable returns the table of agents. Below an agent that takes nothing is the reason.
func agentTable(v *listView, agents []api.Agent) *listTable {
	t := &listTable{painted: 1, columns: []listColumn{
		{title: "AGENT", least: 12},
		{title: "STATE"},
		{title: "USED", right: true},
		{title: "SLOTS", right: true},
		{title: "QUEUES", least: 8, drop: 1},
		{title: "LABELS", least: 8, drop: 2},
		{title: "HEARTBEAT", drop: 3},
		{title: "VERSION", drop: 4},
		{title: "ID", least: 8, drop: 5},
	}}
	for i := range agents {
		a := &agents[i]
		heartbeat := a.HeartbeatAt
		if at, err := api.ParseInstant(a.HeartbeatAt); err == nil {
			heartbeat = v.distance(at)
		}
		t.rows = append(t.rows, listRow{ink: statusInk(a.State), note: optText(a.RestReason), cells: []string{
			a.Name, a.State, strconv.Itoa(a.Used), optSlots(a.Slots), strings.Join(a.Queues, ","), strings.Join(a.Labels, ","), heartbeat, a.Version, a.ID,
		}})
	}
	return t
}

func optSlots(slots *int) string {
	if slots == nil {
		return unlimitedText
	}
	return strconv.Itoa(*slots)
}

func tokenTable(v *listView, tokens []api.Token) *listTable {
	t := &listTable{painted: 2, columns: []listColumn{
		{title: "ID", right: true},
		{title: "NAME", least: 10},
		{title: "STATE"},
		{title: "ROLE"},
		{title: "PROJECT", least: 8, drop: 1},
		{title: "LAST USED", drop: 2},
		{title: "EXPIRES", drop: 3},
		{title: "CREATED", drop: 4},
	}}
	for i := range tokens {
		k := &tokens[i]
		project := "all"
		if k.Project != nil {
			project = k.Project.Name
		}
		state := tokenState(k, v.now)
		row := listRow{cells: []string{
			k.ID.String(), k.Name, state, strings.Join(k.Scopes, ","), project, v.textClock(k.LastUsedAt), v.textClock(k.ExpiresAt), v.textClock(&k.CreatedAt),
		}}
		if state != "valid" {
			row.ink = terminal.InkRed
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// tokenState says whether a token is valid.
func tokenState(k *api.Token, now time.Time) string {
	if k.RevokedAt != nil {
		return "revoked"
	}
	if k.ExpiresAt != nil {
		if at, err := api.ParseInstant(*k.ExpiresAt); err == nil && !at.After(now) {
			return "expired"
		}
	}
	return "valid"
}
