package td

import (
	"maps"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Table returns the operators of Treasure Data.
func Table(options Options) operator.Table {
	f := &family{options: options.withDefaults(), transports: newTransports(), progress: &progress{told: map[string]string{}}}
	job := func(definition operator.Definition, k kind) operator.Definition {
		k.family = f
		definition.Run, definition.CancelJob = k.run, k.cancel
		return definition
	}
	looks := func(definition operator.Definition, made func() looking) operator.Definition {
		k := lookingKind{f, made}
		definition.Run, definition.CancelJob = k.run, k.cancel
		return definition
	}
	table := operator.Table{
		"td": job(operator.Definition{
			Doc: "runs a query of Treasure Data", Needs: [][]string{{dig.NeedsValue, "query"}}, Command: queryText(), Keys: queryKeys(resultKeys(), map[string]dig.Value{
				"create_table":      operator.Text().About("a table that is made of the result, in place of one of that name: `TABLE` or `DATABASE.TABLE`"),
				"insert_into":       operator.Text().About("a table that gets the result: `TABLE` or `DATABASE.TABLE`; it is created if it does not exist"),
				"result_connection": operator.Text().About("the name of a connection of Treasure Data that gets the result"),
				"result_settings":   jsonObject().About("settings of that connection, with `${secret:NAME}` where it needs one"),
				"result_url":        operator.Text().About("a URL that gets the result, with `${secret:NAME}` where it needs one"),
			}),
		}, kind{make: func() operation { return &query{} }}),
		"td_run": job(operator.Definition{
			Doc: "runs a saved query of Treasure Data", NeedsCommand: true,
			Command: dig.Value{Check: referenceOf}.About("the name of the query, or its id as a number"), Keys: commonKeys(resultKeys(), map[string]dig.Value{
				"session_time": dig.Value{Kind: dig.Instant}.About("the time for which the query runs").Or("the session time"),
			}),
		}, kind{make: func() operation { return &savedQuery{} }}),
		"td_for_each": job(operator.Definition{
			Doc: "runs _do for each row of a query's result", Needs: [][]string{{dig.NeedsValue, "query"}}, Command: queryText(), Keys: queryKeys(), Generates: true,
		}, kind{make: func() operation { return &forEach{} }}),
		"td_load": job(operator.Definition{
			Doc:     "loads data into Treasure Data",
			Needs:   [][]string{{dig.NeedsValue, "name", "config"}},
			Command: operator.Text().About("a file with the configuration, whose name ends with `.yml` or `.yaml`, or the name of a stored load"),
			Keys: commonKeys(map[string]dig.Value{
				"config": operator.Object().About("the configuration, with `${secret:NAME}` where it needs one"),
				"name":   operator.Text().About("the name of a stored load"),
				"table":  operator.Text().About("the table that gets the data: `TABLE` or `DATABASE.TABLE`; for a configuration"),
			}),
		}, kind{make: func() operation { return &load{} }}),
		"td_table_export": job(operator.Definition{
			Doc: "writes a part of a table to S3", Needs: [][]string{{"table"}, {"file_format"}, {"from"}, {"to"}, {"s3_bucket"}, {"s3_path_prefix"}},
			Keys: exportKeys(),
		}, kind{make: func() operation { return &tableExport{} }, keyless: true}),
		"td_result_export": job(operator.Definition{
			Doc: "sends the result of a job to a connection of Treasure Data", Needs: [][]string{{"job_id"}, {"result_connection"}, {"result_settings"}},
			Keys: commonKeys(map[string]dig.Value{
				"job_id":            operator.Text().About("the job, as `${td.last_job_id}`"),
				"result_connection": operator.Text().About("the name of the connection"),
				"result_settings":   jsonObject().About("settings of the connection, with `${secret:NAME}` where it needs one"),
			}),
		}, kind{make: func() operation { return &resultExport{} }, withoutDatabase: true, keyless: true}),
		"td_partial_delete": job(operator.Definition{
			Doc: "deletes the rows of some hours from a table", Needs: [][]string{{"from"}, {"to"}}, NeedsCommand: true, Command: operator.Text().About("the table"), Keys: commonKeys(map[string]dig.Value{
				"from": operator.Text().About("the first hour: an ISO date and time, which without an offset is of the workflow's zone, or seconds since 1970"),
				"to":   operator.Text().About("the hour after the last one, as `from`"),
			}),
		}, kind{make: func() operation { return &partialDelete{} }, destructive: true}),
		"td_wait": looks(operator.Definition{
			Doc: "waits until the first value of a query's result is true", Needs: [][]string{{dig.NeedsValue, "query"}}, Command: queryText(), Keys: queryKeys(intervalKey()),
		}, func() looking { return &wait{} }),
		"td_wait_table": looks(operator.Definition{
			Doc: "waits until a table exists and has a number of rows", NeedsCommand: true,
			Command: operator.Text().About("the table: `TABLE` or `DATABASE.TABLE`"), Keys: without("query", queryKeys(intervalKey(), map[string]dig.Value{
				"rows": operator.Integer().About("the number of rows to wait for").Or("0"),
			})),
		}, func() looking { return &waitTable{} }),
		"td_ddl": {
			Doc: "creates, deletes and renames databases and tables", Run: f.runDDL, Keys: commonKeys(ddlKeys()),
		},
	}
	return wrapped(table)
}

// wrapped adds what all operators have in common.
func wrapped(table operator.Table) operator.Table {
	for name, definition := range table {
		definition.Wrapped, definition.Blocks = true, []string{"td"}
		table[name] = definition
	}
	return table
}

func queryText() dig.Value {
	return dig.Value{Check: textOf}.About("the file with the query, or `{data: QUERY}`")
}

// textOf checks the command of operators that take the text of a query.
func textOf(value param.Value) error {
	if object, ok := value.(*param.Map); ok && !object.Has("data") {
		return param.Errorf("must be the name of a file, or `{data: QUERY}`, but is %s", param.JSON(value))
	}
	return nil
}

// referenceOf checks the command of td_run>.
func referenceOf(value param.Value) error {
	switch value.(type) {
	case string, int64:
		return nil
	default:
		return param.Errorf("must be the name of a saved query, or its id as a number, but is %s", param.JSON(value))
	}
}

func jsonObject() dig.Value { return dig.Value{Kind: dig.JSONObject} }
func names() dig.Value      { return dig.Value{Kind: dig.JSONList} }

func intervalKey() map[string]dig.Value {
	return map[string]dig.Value{"interval": operator.Duration().About("the time between two looks").Or("30s")}
}

// without returns keys without one of them.
func without(key string, keys map[string]dig.Value) map[string]dig.Value {
	delete(keys, key)
	return keys
}

// commonKeys returns the options that all operators have, together with more.
func commonKeys(more ...map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"database": operator.Text().About("the database; the secret `td.database` comes first"),
		"endpoint": operator.Text().About("the host of the API; the secret `td.endpoint` comes first").Or(defaultEndpoint),
		"proxy": dig.Value{Kind: dig.Object, Fields: map[string]dig.Value{
			"enabled": operator.Boolean(), "host": operator.Text(), "port": operator.Integer(), "user": operator.Text(),
			"password": operator.Text(), "use_ssl": operator.Boolean(),
		}}.About("`{enabled: true, host: ..., port: ..., user: ..., password: ..., use_ssl: false}`; secrets `td.proxy.NAME` come first").Or("that of the environment"),
		"use_ssl": operator.Boolean().About("whether the API is reached by TLS; the secret `td.use_ssl` comes first").Or("true"),
	}
	for _, some := range more {
		maps.Copy(keys, some)
	}
	return keys
}

// exportKeys returns the options of td_table_export.
func exportKeys() map[string]dig.Value {
	return commonKeys(map[string]dig.Value{
		"file_format":    operator.OneOf(exportFormats()...).About("the format of the files"),
		"from":           operator.Text().About("the first second: seconds since 1970, or `yyyy-MM-dd HH:mm:ss`, with an offset or in the zone `timezone`"),
		"hive_pool_name": operator.Text().About("the pool that the job runs in"),
		"s3_bucket":      operator.Text().About("the bucket"),
		"s3_path_prefix": operator.Text().About("what the names of the files begin with"),
		"table":          operator.Text().About("the table: `TABLE` or `DATABASE.TABLE`"),
		"timezone":       operator.Text().About("the zone of times without an offset").Or("that of the workflow"),
		"to":             operator.Text().About("the second after the last one, as `from`"),
	})
}

// queryKeys returns the options of operators that run a query.
func queryKeys(more ...map[string]dig.Value) map[string]dig.Value {
	keys := commonKeys(map[string]dig.Value{
		"engine":              operator.OneOf(enginePresto, engineHive).About("what runs the query").Or(enginePresto),
		"engine_version":      operator.Text().About("the version of the engine"),
		"hive_engine_version": operator.Text().About("the version of hive; it comes before `engine_version`"),
		"hive_pool_name":      operator.Text().About("the pool of hive"),
		"job_retry":           operator.Integer().About("how often the service repeats a failed job").Or("0"),
		"presto_pool_name":    operator.Text().About("the pool of presto"),
		"priority":            operator.Integer().About("from -2 to 2, the highest").Or("0"),
		"query":               operator.Text().About("the query, where there is no command"),
	})
	for _, some := range more {
		maps.Copy(keys, some)
	}
	return keys
}

func resultKeys() map[string]dig.Value {
	return map[string]dig.Value{
		"download_file":      operator.Text().About("a file that gets the result as CSV"),
		"preview":            operator.Boolean().About("whether the first 20 rows are written into the task's log").Or("false"),
		"store_last_results": operator.Boolean().About("whether `${td.last_results}` gets the first row").Or("false"),
	}
}

func ddlKeys() map[string]dig.Value {
	return map[string]dig.Value{
		"create_databases": names().About("databases that are created unless they exist"),
		"create_tables":    names().About("tables that are created unless they exist: `TABLE` or `DATABASE.TABLE`"),
		"drop_databases":   names().About("databases that are deleted with their tables"),
		"drop_tables":      names().About("tables that are deleted"),
		"empty_databases":  names().About("databases that are deleted and created again"),
		"empty_tables":     names().About("tables that are deleted and created again"),
		"rename_tables":    names().About("a list of `{from: TABLE, to: TABLE}`; a table that has the new name is replaced"),
	}
}
