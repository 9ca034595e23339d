package tdclient

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"unicode/utf16"
)

// CreateDatabase creates a database. It is an error, see Exists, if there is one.
func (c *Client) CreateDatabase(ctx context.Context, name string) error {
	if err := checkName("Database", name); err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodPost, path: path("v3", "database", "create", name)}, nil)
}

// DeleteDatabase deletes a database with its tables. It is an error, see NotFound, if there is none.
func (c *Client) DeleteDatabase(ctx context.Context, name string) error {
	if err := checkName("Database", name); err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodPost, path: path("v3", "database", "delete", name)}, nil)
}

// HasDatabase reports whether there is a database.
func (c *Client) HasDatabase(ctx context.Context, name string) (bool, error) {
	var answer struct {
		Databases []named `json:"databases"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: path("v3", "database", "list")}, &answer)
	return has(answer.Databases, name), err
}

// CreateTable creates a table. It is an error, see Exists, if there is one.
func (c *Client) CreateTable(ctx context.Context, database, table string) error {
	if err := checkName("Table", table); err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodPost, path: path("v3", "table", "create", database, table, "log")}, nil)
}

// DeleteTable deletes a table. It is an error, see NotFound, if there is none.
func (c *Client) DeleteTable(ctx context.Context, database, table string) error {
	return c.call(ctx, request{method: http.MethodPost, path: path("v3", "table", "delete", database, table)}, nil)
}

// RenameTable renames a table. One that has the new name is replaced.
func (c *Client) RenameTable(ctx context.Context, database, from, to string) error {
	if err := checkName("Table", to); err != nil {
		return err
	}
	return c.call(ctx, request{
		method: http.MethodPost, path: path("v3", "table", "rename", database, from, to), form: url.Values{"overwrite": {"true"}},
	}, nil)
}

// HasTable reports whether there is a table. There is none in a database that there is not.
func (c *Client) HasTable(ctx context.Context, database, table string) (bool, error) {
	var answer struct {
		Tables []named `json:"tables"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: path("v3", "table", "list", database)}, &answer)
	if NotFound(err) {
		return false, nil
	}
	return has(answer.Tables, table), err
}

type named struct {
	Name string `json:"name"`
}

func has(all []named, name string) bool {
	for _, one := range all {
		if one.Name == name {
			return true
		}
	}
	return false
}

// Names of databases and tables (operators 8.12).
const (
	shortestName = 3
	longestName  = 256
)

var namePattern = regexp.MustCompile(`^([a-z0-9_]+)$`)

// checkName refuses a name that the API cannot take. what is what it names.
func checkName(what, name string) error {
	if length := len(utf16.Encode([]rune(name))); length < shortestName || length > longestName {
		return invalid("%s name must be %d to %d characters but got %d characters: %s", what, shortestName, longestName, length, name)
	}
	if !namePattern.MatchString(name) {
		return invalid("%s name must follow this pattern %s: %s", what, namePattern, name)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &Error{Type: typeInput, text: fmt.Sprintf(format, args...)}
}
