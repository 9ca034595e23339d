package sqldb

import (
	"context"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

func newID() string { return uuid.NewString() }

// unload runs redshift_unload>: UNLOAD (operators 7.4). Files that an earlier run of the same query has left are
// deleted first, unless that run has succeeded.
func (c *copier) unload(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	t, to, status, err := c.begin(ctx, r, "redshift_unload")
	if err != nil {
		return operator.Outcome{}, err
	}
	query, err := t.params.String("query")
	if err != nil {
		return operator.Outcome{}, err
	}
	target, err := t.params.String("to")
	if err != nil {
		return operator.Outcome{}, err
	}
	options, err := unloadClauses(t.params)
	if err != nil {
		return operator.Outcome{}, err
	}
	if _, err := unloadPrefix(target, ""); err != nil {
		return operator.Outcome{}, err
	}
	return c.execute(ctx, r, to, status, copyStatement{make: func(ctx context.Context, id string) (string, awsKeys, error) {
		prefix, err := unloadPrefix(target, id)
		if err != nil {
			return "", awsKeys{}, err
		}
		keys, err := t.credentials(ctx, c.cloud, func(context.Context) (policy, error) { return unloadPolicy(target) })
		if err != nil {
			return "", keys, err
		}
		head := "UNLOAD (" + literal(query) + ") TO " + literal(prefix.String())
		return strings.Join(append([]string{head, keys.text()}, options...), "\n"), keys, nil
	}, before: func(ctx context.Context, id string) error {
		prefix, err := unloadPrefix(target, id)
		if err != nil {
			return err
		}
		return c.cloud.clear(ctx, t.keys, prefix)
	}})
}

// unloadPrefix returns the prefix of the files of a query.
func unloadPrefix(target, id string) (s3Address, error) {
	whole := target
	if !strings.HasSuffix(whole, "/") {
		whole += "/"
	}
	whole += id + "_"
	rest, ok := strings.CutPrefix(whole, "s3://")
	if !ok {
		return s3Address{}, param.Errorf("'to' should start with 's3://'. to=%s", target)
	}
	bucket, key, found := strings.Cut(rest, "/")
	switch {
	case !found:
		return s3Address{}, param.Errorf("'to' should include a bucket name and key. to=%s", target)
	case bucket == "":
		return s3Address{}, param.Errorf("'to' includes empty bucket. to=%s", target)
	}
	return s3Address{bucket: bucket, key: key}, nil
}

// unloadClauses returns the options of UNLOAD, in Digdag's order.
func unloadClauses(params *param.Reader) ([]string, error) {
	c := &clauses{params: params}
	c.flag("manifest")
	c.flag("encrypted")
	c.text("delimiter", "")
	c.text("fixedwidth", "")
	c.flag("gzip")
	c.flag("bzip2")
	c.flag("addquotes")
	c.text("null_as", "NULL AS")
	c.flag("escape")
	c.flag("allowoverwrite")
	c.switched("parallel")
	return c.lines, c.err
}

func unloadKeys(d *dialect) map[string]dig.Value {
	keys := copyKeys(d, "redshift_unload")
	maps.Copy(keys, map[string]dig.Value{
		"addquotes":      operator.Boolean().About("whether fields are written in quotes").Or("false"),
		"allowoverwrite": operator.Boolean().About("whether files may be replaced").Or("false"),
		"parallel":       operator.Anything().About("whether several files are written at once: ON, OFF, TRUE or FALSE"),
		"query":          operator.Text().About("the SQL of the result, no file"),
		"to":             operator.Text().About("where the files go: `s3://BUCKET/PREFIX`"),
	})
	return keys
}
