package ops

import (
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/document"
)

// actionPhrases are the verbs of actions, as in "ann made the pool db".
func actionPhrases() map[string]string {
	return map[string]string{
		"pool.create": "made the pool", "pool.update": "changed the pool", "pool.delete": "deleted the pool",
		"project.push": "pushed", "project.delete": "deleted the project",
		"secret.put": "set the secret", "secret.delete": "deleted the secret",
		"schedule.enable": "let the schedule go on of", "schedule.disable": "stopped the schedule of",
		"schedule.skip": "left out sessions of", "schedule.backfill": "started sessions of the past of",
		"login.create": "signed in:", "login.end": "signed out:",
		"token.create": "made the token", "token.revoke": "revoked the token",
		"workflow.pause": "paused", "workflow.resume": "resumed",
		"agent.drain": "drained the agent", "agent.undrain": "let the agent take tasks again:",
		trowel.ActionAgentLost: "lost the agent",
		"attempt.start":        "started an attempt of", "attempt.retry": "started again an attempt of", "attempt.kill": "killed an attempt of",
		"attempt.delete": "deleted", document.ActionBrake: "slowed down tries to sign in from",
	}
}

// recordText describes a record in a sentence.
func recordText(r *trowel.AuditRecord) string {
	phrase, known := actionPhrases()[r.Action]
	if !known {
		phrase = strings.ReplaceAll(r.Action, ".", " ")
	}
	if r.AttemptID != 0 {
		phrase = strings.Replace(phrase, "an attempt of", "attempt "+strconv.FormatInt(int64(r.AttemptID), 10)+" of", 1)
	}
	text := r.Actor + " " + phrase + " " + r.Object
	if r.Action == trowel.ActionAgentLost {
		return text + ", whose lease has ended; it ran " + triesText(r)
	}
	if changes := changesText(r.Before, r.After); changes != "" && r.ObjectKind != "workflow" && r.ObjectKind != "agent" { // the phrase says so already
		text += ": " + changes
	}
	return text
}

// triesText says what an agent ran when it was lost.
func triesText(r *trowel.AuditRecord) string {
	tries, _ := param.NewReader(r.After).IntOr("tries", 0) // the engine writes a number
	switch tries {
	case 0:
		return "nothing"
	case 1:
		return "1 try, which is freed"
	}
	return fmt.Sprintf("%d tries, which are freed", tries)
}

// changesText lists the differences between two states of a thing.
func changesText(before, after *param.Map) string {
	if after.Len() == 0 {
		return ""
	}
	var parts []string
	for key, value := range after.All() {
		old, had := before.Get(key)
		to := param.JSON(value)
		switch {
		case before == nil || !had:
			parts = append(parts, key+" "+to)
		case param.JSON(old) != to:
			parts = append(parts, key+" "+param.JSON(old)+" to "+to)
		}
	}
	return strings.Join(parts, ", ")
}

// moveEntry returns the document of a transition of a task, or of the attempt itself.
func (h *history) moveEntry(id string, m *trowel.AuditEntry) api.AuditEntry {
	project, attempt := document.IDName(h.attempt.Project), api.ID(h.attempt.Attempt.ID)
	cause := strconv.FormatUint(uint64(m.Batch), 36) //nolint:gosec // a random number, to be told apart
	entry := api.AuditEntry{
		ID: id, At: document.Instant(m.At), Actor: actorOf(m), Source: "engine", CauseID: &cause,
		Before: stateMap(m.From), After: stateMap(m.To),
		Object: api.AuditObject{Project: &project, Workflow: h.attempt.Session.Workflow, AttemptID: &attempt},
	}
	if m.Actor == trowel.SourceScheduler {
		entry.Source = trowel.SourceScheduler
	}
	if m.TaskID == 0 {
		entry.Action, entry.Object.Kind, entry.Object.ID = "attempt."+m.Cause, "attempt", attempt.String()
		entry.Object.Path = project.Name + "/" + h.attempt.Session.Workflow
		entry.Text = moveText("the attempt", m)
		return entry
	}
	task := api.ID(m.TaskID)
	entry.Action, entry.Object.Kind, entry.Object.ID, entry.Object.TaskID = "task."+m.Cause, "task", task.String(), &task
	entry.Object.Path, entry.Object.Try = h.names[m.TaskID], m.Try
	if entry.Object.Path == "" {
		entry.Object.Path = "task " + task.String()
	}
	entry.Text = moveText(entry.Object.Path, m)
	return entry
}

// moveText describes a transition in a sentence.
func moveText(what string, m *trowel.AuditEntry) string {
	move := m.To
	if m.From != "" {
		move = m.From + " to " + m.To
	}
	text := fmt.Sprintf("%s: %s (%s)", what, move, strings.ReplaceAll(m.Cause, "_", " "))
	if m.Try > 1 {
		text += fmt.Sprintf(", try %d", m.Try)
	}
	return text
}

func stateMap(state string) *param.Map {
	if state == "" {
		return nil
	}
	return param.Of("state", state)
}

// actorOf returns who caused a transition. Agents claim tasks and end those that they run. People start and kill, unless
// the server itself did.
func actorOf(m *trowel.AuditEntry) api.AuditActor {
	kind := trowel.ActorUser
	switch {
	case m.Actor == "" || m.Actor == "engine" || m.Actor == trowel.SourceScheduler:
		kind = trowel.ActorServer
	case m.Cause == string(trowel.TransitionClaim), m.TaskID != 0 && m.From == trowel.TaskRunning.String() && m.From != m.To:
		kind = trowel.ActorAgent // a kill does not change the state of a running task
	}
	return api.AuditActor{Kind: kind, Name: m.Actor}
}
