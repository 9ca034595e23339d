package sqldb

import (
	"maps"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Table returns the operators. Those of one Table share the bound of connections.
func Table(o Options) operator.Table {
	pg := newDatabase(newPostgres(), o.PG)
	redshift := newDatabase(newRedshift(), o.Redshift)
	mysql := newDatabase(newMySQL(), o.MySQL)
	copies := &copier{database: redshift, cloud: awsClients(o.Env), env: o.Env}
	queries := dig.Value{Check: queryOf}.About("the file with the SQL, or `{data: SQL}`")
	query := [][]string{{dig.NeedsValue, "query"}}
	return operator.Table{
		"mysql": {
			Run: mysql.run, Wrapped: true, FilesFor: mysql.touchesFiles, Blocks: []string{"mysql"}, Command: queries, Keys: queryKeys(mysql.dialect), Needs: query,
			Doc: "runs SQL in MySQL or MariaDB",
		},
		"pg": {
			Run: pg.run, Wrapped: true, FilesFor: pg.touchesFiles, Blocks: []string{"pg"}, Command: queries, Keys: queryKeys(pg.dialect), Needs: query,
			Doc: "runs SQL in PostgreSQL",
		},
		"redshift": {
			Run: redshift.run, Wrapped: true, FilesFor: redshift.touchesFiles, Blocks: []string{"redshift"}, Command: queries, Keys: queryKeys(redshift.dialect), Needs: query,
			Doc: "runs SQL in Amazon Redshift",
		},
		"redshift_load": {
			Run: copies.load, Wrapped: true, NoFiles: true, Blocks: []string{"redshift_load", "redshift"}, Keys: loadKeys(redshift.dialect), Needs: [][]string{{"table"}, {"from"}},
			Doc: "loads files from S3 and others into Amazon Redshift with COPY",
		},
		"redshift_unload": {
			Run: copies.unload, Wrapped: true, NoFiles: true, Blocks: []string{"redshift_unload", "redshift"}, Keys: unloadKeys(redshift.dialect), Needs: [][]string{{"query"}, {"to"}},
			Doc: "writes the result of a query from Amazon Redshift to S3 with UNLOAD",
		},
	}
}

// queryOf checks the command, which is the name of a file or an object with the text.
func queryOf(value param.Value) error {
	if object, ok := value.(*param.Map); ok && !object.Has("data") {
		return param.Errorf("must be the name of a file, or `{data: SQL}`, but is %s", param.JSON(value))
	}
	return nil
}

// loginKeys are the options of the connection and of the status table.
func loginKeys(d *dialect) map[string]dig.Value {
	first := "; the secret `" + d.secrets + "."
	comes := "` comes first"
	port := map[int]string{5432: "5432", 5439: "5439", 3306: "3306"}[d.port]
	also := func(key string) string {
		if d.secretTimeouts {
			return first + key + comes
		}
		return ""
	}
	return map[string]dig.Value{
		"connect_timeout":      operator.Duration().About("how long it may take to connect" + also("connect_timeout")).Or("30s"),
		"database":             operator.Text().About("the database" + first + "database" + comes),
		"host":                 operator.Text().About("the server" + first + "host" + comes),
		"password_override":    operator.Text().About("the name of a secret below `" + d.secrets + ".`, which is the password in place of `" + d.secrets + ".password`"),
		"port":                 operator.Integer().About("its port" + first + "port" + comes).Or(port),
		"schema":               operator.Text().About("the schema that names without one are in; the server's default" + first + "schema" + comes),
		"socket_timeout":       operator.Duration().About("how long the server may be silent before the query is ended" + also("socket_timeout")).Or("30m"),
		"ssl":                  operator.Boolean().About("whether the connection must be encrypted and the certificate name the host, whoever signed it; without it the connection is encrypted where the server offers it" + first + "ssl" + comes).Or("false"),
		"status_table":         operator.Text().About("the table that says which queries were done").Or(defaultStatusTable),
		"status_table_cleanup": operator.Duration().About("after which time its entries are deleted").Or("24h"),
		"status_table_schema":  operator.Text().About("the schema of that table"),
		"strict_transaction":   operator.Boolean().About("whether the query runs exactly once, in a transaction with an entry of the status table").Or("true"),
		"user":                 operator.Text().About("the user" + first + "user" + comes),
	}
}

// queryKeys are the options of operators that run a query.
func queryKeys(d *dialect) map[string]dig.Value {
	keys := loginKeys(d)
	maps.Copy(keys, map[string]dig.Value{
		"create_table":       operator.Text().About("the table that is made of the result; one of this name is dropped first"),
		"download_file":      operator.Text().About("the file that gets the result as CSV"),
		"insert_into":        operator.Text().About("the table that the result is added to"),
		"query":              operator.Text().About("the SQL, where there is no command"),
		"store_last_results": dig.Value{Check: storeChoice}.About("whether `${" + d.name + ".last_results}` gets the `first` row of the result, or `all` of them; `true` is `first`").Or("false"),
	})
	return keys
}

func storeChoice(value param.Value) error {
	if _, ok := storeOf(value); !ok {
		return param.Errorf("must be true, false, first or all, but is %s", param.JSON(value))
	}
	return nil
}

// missingSecret is the error about a secret, named without its scope, as Digdag does.
func missingSecret(key string) error { return &secret.NotFoundError{Key: key} }
