package td

import (
	"context"

	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	enginePresto = "presto"
	engineHive   = "hive"

	unknownEngine = "Unknown 'engine:' option (available options are: hive and presto): %s" // operators 8.1
)

// queryOptions are what the operators that run a query have in common (operators 8.1).
type queryOptions struct {
	engine            string
	priority, retries int
	pool, version     string
}

func (q *queryOptions) read(params *param.Reader) (err error) {
	if q.engine, err = params.StringOr("engine", enginePresto); err != nil {
		return err
	}
	if q.priority, err = params.IntOr("priority", 0); err != nil {
		return err
	}
	if q.retries, err = params.IntOr("job_retry", 0); err != nil {
		return err
	}
	if q.version, err = params.StringOr("engine_version", ""); err != nil {
		return err
	}
	hiveVersion, err := params.StringOr("hive_engine_version", "")
	if err != nil {
		return err
	}
	pool := "presto_pool_name"
	if q.engine == engineHive {
		pool = "hive_pool_name"
		if hiveVersion != "" {
			q.version = hiveVersion
		}
	}
	q.pool, err = params.StringOr(pool, "")
	return err
}

// query returns the job of a text.
func (q *queryOptions) query(database, text, domainKey string) (tdclient.Query, error) {
	if q.engine != enginePresto && q.engine != engineHive {
		return tdclient.Query{}, param.Errorf(unknownEngine, q.engine)
	}
	return tdclient.Query{
		Engine: q.engine, Database: database, Text: text, DomainKey: domainKey, Priority: q.priority, Retries: &q.retries,
		Pool: q.pool, Version: q.version,
	}, nil
}

// begin begins the job of a text, with the session time.
func (q *queryOptions) begin(ctx context.Context, t *task, text, domainKey string) (string, error) {
	query, err := q.query(t.database, text, domainKey)
	if err != nil {
		return "", err
	}
	query.ScheduledTime = t.sessionTime()
	return t.client.Query(ctx, query)
}
