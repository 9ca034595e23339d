package sqldb

import (
	"context"
	"maps"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// load runs redshift_load>: COPY (operators 7.4).
func (c *copier) load(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	t, to, status, err := c.begin(ctx, r, "redshift_load")
	if err != nil {
		return operator.Outcome{}, err
	}
	head, from, err := c.copyHead(t.params)
	if err != nil {
		return operator.Outcome{}, err
	}
	options, err := copyClauses(t.params)
	if err != nil {
		return operator.Outcome{}, err
	}
	return c.execute(ctx, r, to, status, copyStatement{make: func(ctx context.Context, _ string) (string, awsKeys, error) {
		keys, err := t.credentials(ctx, c.cloud, func(ctx context.Context) (policy, error) { return t.loadPolicy(ctx, c.cloud, from) })
		if err != nil {
			return "", keys, err
		}
		return strings.Join(append([]string{head, keys.text()}, options...), "\n"), keys, nil
	}})
}

// copyHead returns the first line of the statement, and where it reads from. The whole name of the table is one name: the
// option schema has that of its schema.
func (c *copier) copyHead(params *param.Reader) (head, from string, err error) {
	name, err := params.String("table")
	if err != nil {
		return "", "", err
	}
	if from, err = params.String("from"); err != nil {
		return "", "", err
	}
	columns := ""
	if value, _ := params.Value("column_list"); value != nil { // quirk 18
		if columns, err = c.columnList(params, value); err != nil {
			return "", "", err
		}
	}
	return "COPY " + c.quoted(name) + columns + " FROM " + literal(from), from, nil
}

// columnList returns names of columns, which are a list or a text with commas.
func (c *copier) columnList(params *param.Reader, value param.Value) (string, error) {
	var names []string
	if list, ok := value.(param.List); ok {
		for _, element := range list {
			name, ok := param.AsString(element)
			if !ok {
				return "", param.WrongType("column_list", param.TypeString, element)
			}
			names = append(names, name)
		}
	} else {
		text, err := params.String("column_list")
		if err != nil {
			return "", err
		}
		names = strings.Split(strings.Trim(strings.TrimSpace(text), "()"), ",")
	}
	for i, name := range names {
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, `"`) {
			name = c.quoted(name)
		}
		names[i] = name
	}
	return " (" + strings.Join(names, ", ") + ")", nil
}

// copyClauses returns the options of COPY, in Digdag's order.
func copyClauses(params *param.Reader) ([]string, error) {
	c := &clauses{params: params}
	c.keep(copyConflict(c))
	c.number("readratio")
	c.flag("manifest")
	c.flag("encrypted")
	c.text("region", "")
	if quote, found := c.option("csv"); found {
		if quote == "" {
			c.add("CSV")
		} else {
			c.add("CSV QUOTE " + literal(quote))
		}
	}
	c.text("delimiter", "")
	c.text("fixedwidth", "")
	c.text("json", "FORMAT AS JSON")
	c.text("avro", "FORMAT AS AVRO")
	for _, key := range []string{"gzip", "bzip2", "lzop", "acceptanydate"} {
		c.flag(key)
	}
	c.text("acceptinvchars", "")
	c.flag("blanksasnull")
	c.text("dateformat", "")
	c.flag("emptyasnull")
	c.word("encoding")
	for _, key := range []string{"escape", "explicit_ids", "fillrecord", "ignoreblanklines"} {
		c.flag(key)
	}
	c.number("ignoreheader")
	c.text("null_as", "NULL AS")
	c.flag("removequotes")
	c.flag("roundec")
	c.text("timeformat", "")
	c.flag("trimblanks")
	c.flag("truncatecolumns")
	c.number("comprows")
	c.switched("compupdate")
	c.number("maxerror")
	c.flag("noload")
	c.switched("statupdate")
	return c.lines, c.err
}

// copyConflict finds options that exclude each other.
func copyConflict(c *clauses) error {
	switch {
	case c.has("csv") && c.any("fixedwidth", "removequotes", "escape"):
		return param.Errorf("CSV cannot be used with FIXEDWIDTH, REMOVEQUOTES, or ESCAPE")
	case c.has("delimiter") && c.has("fixedwidth"):
		return param.Errorf("DELIMITER cannot be used with FIXEDWIDTH")
	case c.has("json") && c.any("csv", "delimiter", "avro", "escape", "fillrecord", "fixedwidth", "ignoreblanklines", "null_as", "readratio", "removequotes"):
		return param.Errorf("JSON cannot be used with CSV, DELIMITER, AVRO, ESCAPE, FILLRECORD, FIXEDWIDTH, IGNOREBLANKLINES, NULL AS, READRATIO or REMOVEQUOTES")
	case c.has("avro") && c.any("csv", "delimiter", "json", "fixedwidth"):
		return param.Errorf("AVRO cannot be used with CSV, DELIMITER, JSON or FIXEDWIDTH")
	}
	return nil
}

// copyKeys are the options that both operators have besides those of the connection.
func copyKeys(d *dialect, name string) map[string]dig.Value {
	keys := loginKeys(d)
	maps.Copy(keys, map[string]dig.Value{
		"delimiter":         operator.Text().About("the character between fields"),
		"encrypted":         operator.Boolean().About("whether the files are encrypted").Or("false"),
		"escape":            operator.Boolean().About("whether a backslash takes the next character as it is").Or("false"),
		"fixedwidth":        operator.Text().About("the names and widths of columns, where these are fixed"),
		"gzip":              operator.Boolean().About("whether the files are compressed with gzip").Or("false"),
		"bzip2":             operator.Boolean().About("whether the files are compressed with bzip2").Or("false"),
		"manifest":          operator.Boolean().About("whether a manifest lists the files").Or("false"),
		"null_as":           operator.Text().About("the text that stands for no value"),
		"role_session_name": operator.Text().About("the name of the session of a role; the secret `role_session_name` comes first").Or(defaultSessionName).DiffersBy("Digdag reads the secret alone"),
		"session_duration":  operator.Integer().About("how many seconds the temporary keys are good for").Or("10800"),
		"temp_credentials":  operator.Boolean().About("whether the statement is given temporary keys, which can do nothing else; without it those of the secrets `aws." + name + ".access_key_id` and `secret_access_key`").Or("true"),
	})
	return keys
}

func loadKeys(d *dialect) map[string]dig.Value {
	keys := copyKeys(d, "redshift_load")
	flag := func(about string) dig.Value { return operator.Boolean().About(about).Or("false") }
	maps.Copy(keys, map[string]dig.Value{
		"acceptanydate":    flag("whether dates in no known form are loaded as NULL"),
		"acceptinvchars":   operator.Text().About("the character that stands for what is no valid UTF-8"),
		"avro":             operator.Text().About("`auto`, or the S3 address of paths, for Avro files"),
		"blanksasnull":     flag("whether texts of blanks alone are loaded as NULL"),
		"column_list":      operator.Anything().About("the columns that the files have: a list, or names with commas").DiffersBy("Digdag does not use it"),
		"comprows":         operator.Integer().About("how many rows the choice of a compression looks at"),
		"compupdate":       operator.Anything().About("whether compressions are chosen: ON, OFF, TRUE or FALSE"),
		"csv":              operator.Text().About("whether the files are CSV: the character for quotes, or nothing"),
		"dateformat":       operator.Text().About("the form of dates"),
		"emptyasnull":      flag("whether empty texts are loaded as NULL"),
		"encoding":         operator.Text().About("the encoding of the files, such as UTF8"),
		"explicit_ids":     flag("whether values of identity columns are loaded"),
		"fillrecord":       flag("whether rows may lack their last columns"),
		"from":             operator.Text().About("where the files are: `s3://BUCKET/PREFIX`, `dynamodb://TABLE` or `emr://CLUSTER/PATH`"),
		"ignoreblanklines": flag("whether empty lines are passed over"),
		"ignoreheader":     operator.Integer().About("how many lines each file begins with that are passed over"),
		"json":             operator.Text().About("`auto`, or the S3 address of paths, for JSON files"),
		"lzop":             flag("whether the files are compressed with lzop"),
		"maxerror":         operator.Integer().About("how many rows may be wrong"),
		"noload":           flag("whether the files are only checked"),
		"readratio":        operator.Integer().About("how much of the table's throughput in DynamoDB may be used, in percent"),
		"region":           operator.Text().About("the region of the bucket, if that of the cluster is another one"),
		"removequotes":     flag("whether quotes around fields are removed"),
		"roundec":          flag("whether numbers are rounded, not cut"),
		"statupdate":       operator.Anything().About("whether statistics are made anew: ON, OFF, TRUE or FALSE"),
		"table":            operator.Text().About("the table, without its schema"),
		"timeformat":       operator.Text().About("the form of times"),
		"trimblanks":       flag("whether blanks at the end of texts are removed"),
		"truncatecolumns":  flag("whether texts that are too long are cut"),
	})
	return keys
}
