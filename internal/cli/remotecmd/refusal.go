package remotecmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/config"
)

// This file words what people read when a server refuses a request: Digdag's text without a terminal, on a terminal
// what was refused and by which server, and in either case how to go on.

// Explain returns the text that people read about the error that ends a command.
func Explain(c *cmd.Call, err error) string {
	refused, ok := errors.AsType[*client.StatusError](err)
	if foreign, isForeign := errors.AsType[*client.ForeignError](err); !ok && isForeign && c.Env.Terminals.Stderr {
		return fmt.Sprintf("the answer to %s is not one of a Trowel server\n%s", foreign.Request, foreignFix(foreign.Endpoint))
	}
	if !ok {
		return c.ErrorWithFix(err, serverText)
	}
	text := serverErrorText(err)
	if c.Env.Terminals.Stderr && refused.Request != "" {
		text = refusedForPeople(refused)
		if near, ok := errors.AsType[*nearMissError](err); ok {
			text += "\n" + cmd.DidYouMean(near.near)
		}
	}
	if taken := takenAttempt(refused); taken != nil && !c.Env.Terminals.Stderr {
		text += "\n" + takenText(taken)
	}
	if strings.Contains(text, "\nfix: ") || strings.Contains(text, "\ndid you mean ") {
		return text
	}
	if project := tokenScope(err); project != "" {
		return text + "\nfix: the token is for the project " + project + " alone; sign in with one that may see others, with --token TOKEN or in the variable " + config.EnvToken
	}
	if fix := refusedFix(c, refused); fix != "" {
		text += "\nfix: " + fix
	}
	return text
}

// refusedForPeople words a refusal for people: what was refused, and where.
func refusedForPeople(refused *client.StatusError) string {
	answer := refused.Answer()
	what := http.StatusText(refused.Code)
	switch taken := takenAttempt(refused); {
	case taken != nil:
		what = takenText(taken)
	case refused.Foreign():
		what = "the answer is not one of a Trowel server"
	case answer.Message != nil && *answer.Message != "":
		what = javaClass.ReplaceAllString(strings.TrimRight(*answer.Message, "\n "), "")
	}
	text := fmt.Sprintf("%s\nat %s (%s: HTTP %d %s)", what, refused.Endpoint, refused.Request, refused.Code, http.StatusText(refused.Code))
	if answer.Hint != "" {
		text += "\nfix: " + answer.Hint
	}
	return text
}

// javaClass matches the class of an exception, with which some of Digdag's texts begin.
var javaClass = regexp.MustCompile(`^(?:[a-z]\w*\.)+[\w$]+Exception: `)

// takenAttempt returns the existing attempt of the same name, or nil if that is not the reason of a refusal.
func takenAttempt(refused *client.StatusError) *api.Attempt {
	var attempt api.Attempt
	if refused.Code != http.StatusConflict || json.Unmarshal(refused.Body, &attempt) != nil || attempt.ID == 0 {
		return nil
	}
	return &attempt
}

func takenText(taken *api.Attempt) string {
	if taken.RetryAttemptName == nil {
		return fmt.Sprintf("an attempt of this session exists: %s", taken.ID)
	}
	return fmt.Sprintf("an attempt named %s exists: %s", *taken.RetryAttemptName, taken.ID)
}

// refusedFix says how to go on after a refusal; empty if the reason itself says it.
func refusedFix(c *cmd.Call, refused *client.StatusError) string {
	if refused.Foreign() {
		return strings.TrimPrefix(foreignFix(refused.Endpoint), "fix: ")
	}
	switch refused.Code {
	case http.StatusUnauthorized:
		if c.SignedBy != "" {
			return "the server refuses " + c.SignedBy + ": correct it, or leave it out where nobody signs in"
		}
		return fixSignIn
	case http.StatusForbidden:
		if c.Command.Name == "tokens" { // the caller cannot list them
			return "sign in with a token of an administrator; the first one is made beside the database: `" + c.Program +
				" tokens create --database DIR --name NAME --role admin`"
		}
		return "sign in with a token whose role and project allow it, with --token TOKEN or in the variable " + config.EnvToken +
			"; `" + c.Hinted("tokens") + "` lists them for an administrator"
	case http.StatusNotFound:
		return missingFix(c, refused)
	case http.StatusConflict:
		return conflictFix(c)
	case http.StatusRequestEntityTooLarge:
		return "send less, or raise the limit of the server"
	case http.StatusTooManyRequests:
		return "try again in a moment"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "try again in a moment; the log of the server, or of the proxy before it, says why"
	}
	if refused.Code >= http.StatusInternalServerError {
		return "the log of the server says more"
	}
	return requestFix(c, refused)
}

// fixSignIn says how to give credentials.
const fixSignIn = "sign in with --basic-auth USER:PASS or --token TOKEN; the variable " + config.EnvToken + " or the setting " +
	settingToken + " does it for all commands"

// foreignFix says how to find a server if something else answered.
func foreignFix(endpoint string) string {
	return "fix: is that a Trowel server, at " + endpoint + "? The option -e or the setting " + config.KeyEndpoint + " names another one"
}

// textNoProject is how both servers begin the error about a project that does not exist.
const textNoProject = "project not found"

// missingFix names the command that lists what exists.
func missingFix(c *cmd.Call, refused *client.StatusError) string {
	var list string
	if message := refused.Answer().Message; strings.HasPrefix(refused.Text, textNoProject) || message != nil && strings.HasPrefix(*message, textNoProject) {
		return fmt.Sprintf("`%s` lists what there is", c.Hinted("projects"))
	}
	switch c.Command.Name {
	case "attempt", "kill", "retry", "log", "task", "why", "history":
		list = "attempts"
	case "attempts", "session":
		list = "sessions"
	case "schedule", "disable", "enable", "reschedule", "backfill":
		list = "schedules"
	case "start", "workflow", "pause", "unpause":
		list = "workflows"
	case "project", "delete", "download", "secrets":
		list = "projects"
	case "tokens", "pools", "agents":
		list = c.Command.Name
	default:
		return ""
	}
	return fmt.Sprintf("`%s` lists what there is", c.Hinted(list))
}

// conflictFix says how to go on after a conflict.
func conflictFix(c *cmd.Call) string {
	switch c.Command.Name {
	case "retry", "backfill":
		return "choose another --name, or leave it out"
	case "push", "upload":
		return "choose another --revision, or leave it out for a random one"
	case "kill":
		return fmt.Sprintf("nothing is left to stop; `%s` shows how it ended", c.Hinted("attempt "+c.Args.Positional[0]))
	case "reschedule":
		return fmt.Sprintf("name a later time; `%s` shows the next ones", c.Hinted("schedules"))
	case "start":
		return "choose another --session, or name the attempt with --retry NAME"
	}
	return "somebody else may have changed it meanwhile; look, and try again"
}

// requestFix says how to go on after a request that the server does not understand.
func requestFix(c *cmd.Call, refused *client.StatusError) string {
	message := refused.Answer().Message
	if message == nil {
		return ""
	}
	if strings.HasPrefix(*message, "Too many attempts running. ") {
		return attemptsFix(c)
	}
	if c.Command.Name != "retry" {
		return ""
	}
	switch {
	case strings.Contains(*message, "NoMatchException: "):
		return fmt.Sprintf("`%s` lists the tasks", c.Hinted("tasks "+c.Args.Positional[0]))
	case strings.HasPrefix(*message, "Resuming successfully completed attempts"):
		return "it succeeded; to run all tasks again use --all in place of --resume"
	case strings.HasPrefix(*message, "Resuming non-successful tasks"):
		return "tasks before it did not succeed; use --resume, or --resume-from an earlier one"
	}
	return ""
}

// attemptsFix says how to go on if too many attempts run. All sessions of a backfill
// count as running from its beginning.
func attemptsFix(c *cmd.Call) string {
	raise := "raise executor.attempt_max_run in the settings of the server"
	if c.Command.Name == "backfill" {
		return "its sessions count from the beginning: ask for fewer at a time with --count N, or " + raise
	}
	return "wait until some have ended, or " + raise
}
