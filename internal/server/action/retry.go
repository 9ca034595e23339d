package action

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/textutil"
)

// retries has the handler of retries.
type retries struct{ launcher Launcher }

// retry runs the workflow of an attempt again. What it begins is what its answer lists, as both come from one plan.
func (h *retries) retry(c *rest.Call) (any, error) {
	var request api.RetryRequest
	if err := c.DecodeKnown(&request); err != nil {
		return nil, err
	}
	if _, err := find.ReadAttempt(c); err != nil {
		return nil, err
	}
	ask, err := h.read(c, &request)
	if err != nil {
		return nil, err
	}
	plan, err := h.launcher.PlanRetry(c.Ctx(), *ask)
	if err != nil {
		return nil, err
	}
	answer := api.Retry{
		Revision: plan.Revision.Name, Run: retriedOf(plan.Run), Reuse: retriedOf(plan.Reused), Warnings: warningsOf(plan),
		Expect: expectOf(plan, &request),
	}
	if err := rest.CheckPrecondition(request.Expect, answer.Expect, "what would run"); err != nil || request.DryRun {
		return answer, err
	}
	begun, err := h.launcher.BeginRetry(c.Ctx(), plan)
	if taken, ok := errors.AsType[*launch.TakenError](err); ok {
		return nil, rest.ErrorDocument(http.StatusConflict, document.Attempt(taken.Existing))
	}
	if err != nil {
		return nil, err
	}
	attempt := document.Attempt(begun)
	answer.Attempt = &attempt
	return answer, nil
}

// read checks a request.
func (*retries) read(c *rest.Call, request *api.RetryRequest) (*launch.Retry, error) {
	switch request.Mode {
	case launch.ModeAll, launch.ResumeFailed, launch.ResumeFrom:
	default:
		return nil, rest.InvalidValue("mode", "mode must be all, failed or from, not %q", request.Mode)
	}
	if request.From != "" && request.Mode != launch.ResumeFrom {
		return nil, rest.InvalidValue("from", "from belongs to mode from, not to mode %s", request.Mode)
	}
	ask := &launch.Retry{
		Attempt: trowel.AttemptID(c.PathNumber(0)), Mode: request.Mode, From: request.From, Revision: request.Revision, Params: request.Params, Name: request.Name,
		Actor: c.Caller.Name,
	}
	if ask.Revision == "" {
		ask.Revision = launch.RevisionSame
	}
	if ask.Name == "" {
		ask.Name = uuid.NewString()
	}
	by := c.NewRecord()
	by.Action, by.Note = "attempt.retry", request.Note
	ask.Record = &by
	return ask, nil
}

// maxItems is how many tasks an answer lists.
const maxItems = 500

func retriedOf(tasks []launch.RetriedTask) api.RetriedTasks {
	shape := api.RetriedTasks{ByState: map[string]int{}, Items: api.List[api.RetriedTask]{}}
	for i, t := range tasks {
		item := api.RetriedTask{FullName: t.FullName, IsGroup: t.Group}
		before := "new"
		if t.Before != nil {
			before = document.State(t.Before.State)
			item.State = &before
		}
		if !t.Group {
			shape.Count++
			shape.ByState[before]++
		}
		if i < maxItems {
			shape.Items = append(shape.Items, item)
		}
	}
	return shape
}

// warningsOf says what may surprise.
func warningsOf(plan *launch.RetryPlan) api.List[string] {
	list := api.List[string]{}
	if plan.Earlier.Attempt.Flags&trowel.AttemptDone == 0 {
		list = append(list, fmt.Sprintf("attempt %d is still running: tasks may run twice at the same time", plan.Earlier.Attempt.ID))
	}
	if plan.Revision.ID != plan.Newest.ID {
		list = append(list, fmt.Sprintf("revision %s is not the newest one of the project, which is %s", plan.Revision.Name, plan.Newest.Name))
	}
	if n := len(plan.Lost); n > 0 {
		const shown = 5
		names := strings.Join(plan.Lost[:min(n, shown)], ", ")
		if n > shown {
			names += ", ..."
		}
		list = append(list, fmt.Sprintf("revision %s lacks %s of attempt %d: %s", plan.Revision.Name, textutil.Count(n, "task", "tasks"), plan.Earlier.Attempt.ID, names))
	}
	return list
}

// expectOf names what a retry does: its workflow, its parameters, the tasks that run and those that are reused.
func expectOf(plan *launch.RetryPlan, request *api.RetryRequest) string {
	sum := sha256.New()
	a := &plan.Attempt
	fmt.Fprintf(sum, "%d %q %q %s\n", a.Attempt.WorkflowID, request.Name, a.Context.Session.Time, param.JSON(a.Attempt.Params))
	for _, t := range plan.Run {
		fmt.Fprintf(sum, "run %q\n", t.FullName)
	}
	for _, row := range a.Resumed {
		fmt.Fprintf(sum, "reuse %d\n", row.ID)
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18])
}
