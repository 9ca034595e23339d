package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// copier runs redshift_load> and redshift_unload> (operators 7.4).
type copier struct {
	*database

	cloud cloud
	env   func(string) (string, bool) // that of the proxy
}

// loadStep is where the state is kept of a statement that waits for another run of it, as in Digdag.
const loadStep = "load"

// copyTask is one run of redshift_load> or redshift_unload>.
type copyTask struct {
	r      *operator.Request
	params *param.Reader
	name   string // of the operator
	keys   awsKeys
	role   string // empty for none
}

// begin reads what both operators have in common.
func (c *copier) begin(ctx context.Context, r *operator.Request, name string) (t copyTask, to login, s *status, err error) {
	t = copyTask{r: r, name: name}
	if _, err := operator.EnvProxy(c.env, true); err != nil {
		r.Log.Warn("the proxy of the environment is not used", slog.Any("error", err))
	}
	if t.params, err = r.Section(name, "redshift"); err != nil {
		return t, to, nil, err
	}
	if to, err = c.readLogin(ctx, r, t.params); err != nil {
		return t, to, nil, err
	}
	if s, err = c.readStatus(r, t.params); err != nil {
		return t, to, nil, err
	}
	if t.keys.id, err = t.secret(ctx, "access_key_id"); err != nil {
		return t, to, nil, err
	}
	if t.keys.secret, err = t.secret(ctx, "secret_access_key"); err != nil {
		return t, to, nil, err
	}
	t.role, _, err = r.OptSecret(ctx, t.scopes("role_arn")...)
	return t, to, s, err
}

func (t copyTask) scopes(key string) []string {
	return []string{"aws." + t.name + "." + key, "aws.redshift." + key, "aws." + key}
}

func (t copyTask) secret(ctx context.Context, key string) (string, error) {
	text, found, err := t.r.OptSecret(ctx, t.scopes(key)...)
	if err == nil && !found {
		err = missingSecret(key)
	}
	return text, err
}

const (
	defaultSessionName     = "digdag-operator-session"
	defaultSessionDuration = 10800
)

// credentials returns what the statement is given to reach the files: keys for a time, which allow nothing but that, or
// with temp_credentials: false those of the task.
func (t copyTask) credentials(ctx context.Context, aws cloud, allowed func(context.Context) (policy, error)) (awsKeys, error) {
	policy, err := allowed(ctx)
	if err != nil {
		return awsKeys{}, err
	}
	temporary, err := t.params.BoolOr("temp_credentials", true)
	if err != nil || !temporary {
		return t.keys, err
	}
	seconds, err := t.params.IntOr("session_duration", defaultSessionDuration)
	if err != nil {
		return awsKeys{}, err
	}
	session, found, err := t.r.OptSecret(ctx, "role_session_name")
	if err == nil && !found { // Digdag's documents name the option, quirk 18
		session, err = t.params.StringOr("role_session_name", defaultSessionName)
	}
	if err != nil {
		return awsKeys{}, err
	}
	return aws.temporary(ctx, t.keys, t.role, session, seconds, policy.text())
}

// text is the part of a statement that has the keys.
func (k awsKeys) text() string {
	text := "aws_access_key_id=" + k.id + ";aws_secret_access_key=" + k.secret
	if k.token != "" {
		text += ";token=" + k.token
	}
	return "CREDENTIALS " + literal(text)
}

// hide removes keys from a text.
func (k awsKeys) hide(text string) string {
	for _, key := range []string{k.secret, k.token, k.id} {
		if key == "" {
			continue
		}
		for _, form := range []string{key, strings.Trim(literal(key), "'"), quotedText(key)} {
			text = strings.ReplaceAll(text, form, "********")
		}
	}
	return text
}

// copyStatement is what copier runs.
type copyStatement struct {
	// make returns the statement for the id of its query, and the keys in it.
	make func(ctx context.Context, id string) (text string, keys awsKeys, err error)
	// before is called each time before the statement is sent, but not if the query was done before. It may be nil.
	before func(ctx context.Context, id string) error
}

// execute runs the statement, as soon as no other run of it goes on.
func (c *copier) execute(ctx context.Context, r *operator.Request, to login, s *status, statement copyStatement) (operator.Outcome, error) {
	steps := operator.NewSteps(ctx, r)
	id, err := steps.Constant(queryKey, newID)
	if err != nil {
		return steps.Outcome(operator.Outcome{}, err)
	}
	text, keys, err := statement.make(ctx, id)
	if err != nil {
		return operator.Outcome{}, err
	}
	send := func(conn connection) error {
		if statement.before != nil {
			if err := statement.before(ctx, id); err != nil {
				return err
			}
		}
		return execute(ctx, conn, text, false)
	}
	err = steps.Retry(operator.Retry{Key: loadStep, Passing: asLocked}, func(*operator.Steps) error { return c.once(ctx, r, to, s, id, send) })
	return steps.Outcome(operator.Outcome{}, hideKeys(err, keys))
}

// once sends the statement exactly once with a status table.
func (c *copier) once(ctx context.Context, r *operator.Request, to login, s *status, id string, send func(connection) error) error {
	return c.with(ctx, r, to, func(conn connection) error {
		work := func() error { return send(conn) }
		if s == nil {
			return work()
		}
		s.to, s.id = conn, id
		return c.dialect.once(ctx, s, work)
	})
}

// hideKeys removes keys from the failure of a statement that has them.
func hideKeys(err error, keys awsKeys) error {
	failed, ok := errors.AsType[*operator.Failure](err)
	if !ok {
		return err
	}
	return &operator.Failure{Message: keys.hide(failed.Message), Err: errors.New(keys.hide(failed.Err.Error()))}
}

// literal returns a text as Redshift reads it in quotes, where a backslash takes the next character as it is.
func literal(text string) string { return "'" + quotedText(strings.ReplaceAll(text, `\`, `\\`)) + "'" }

// clauses are the options of COPY and UNLOAD, one in each line.
type clauses struct {
	params *param.Reader
	lines  []string
	err    error // the first one
}

func (c *clauses) add(line string) { c.lines = append(c.lines, line) }

// flag adds a keyword if the option of its name is true.
func (c *clauses) flag(key string) {
	on, err := c.params.BoolOr(key, false)
	if c.keep(err); on {
		c.add(strings.ToUpper(key))
	}
}

// text adds a keyword and a text; without a text the keyword alone. The keyword is that of the option's name if it is empty.
func (c *clauses) text(key, keyword string) {
	text, found := c.option(key)
	if !found {
		return
	}
	if keyword == "" {
		keyword = strings.ToUpper(key)
	}
	if text != "" {
		keyword += " " + literal(text)
	}
	c.add(keyword)
}

// word adds a keyword and a word that has no quotes.
func (c *clauses) word(key string) {
	text, found := c.option(key)
	if !found {
		return
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		c.keep(param.Errorf("Parameter '%s' must be one word, but is %s", key, param.JSON(text)))
		return
	}
	c.add(strings.TrimSpace(strings.ToUpper(key) + " " + text))
}

// number adds a keyword and a number.
func (c *clauses) number(key string) {
	n, found, err := c.params.OptInt(key)
	if c.keep(err); found {
		c.add(strings.ToUpper(key) + " " + strconv.Itoa(n))
	}
}

// switched adds a keyword with one of the words for on and off.
func (c *clauses) switched(key string) {
	text, found := c.option(key)
	if !found {
		return
	}
	if text != "" && !slices.Contains([]string{"ON", "OFF", "TRUE", "FALSE"}, strings.ToUpper(text)) {
		c.keep(param.Errorf("%s should be in ON/OFF/TRUE/FALSE: %s", strings.ToUpper(key), text))
		return
	}
	c.add(strings.TrimSpace(strings.ToUpper(key) + " " + text))
}

// option reads a text that is there or not. Of texts that are booleans, false stands for none and true for an empty text.
func (c *clauses) option(key string) (text string, found bool) {
	value, _ := c.params.Value(key)
	text, found, err := c.params.OptString(key)
	c.keep(err)
	if on, boolean := value.(bool); boolean && key != "compupdate" && key != "statupdate" && key != "parallel" {
		return "", on
	}
	return text, found && err == nil
}

func (c *clauses) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}

// has reports whether an option is given and not false.
func (c *clauses) has(key string) bool {
	value, found := c.params.Value(key)
	return found && value != nil && value != false && value != "false"
}

// any reports whether one of several options is given.
func (c *clauses) any(keys ...string) bool { return slices.ContainsFunc(keys, c.has) }
