package store_test

import (
	"database/sql"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// Every constant sql... and every bulk statement of this package can be prepared on both databases,
// except those that name the database that they are for.
func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, other string // other is in the names of statements that are not for this database
		open        func(t *testing.T) *sql.DB
	}{
		{"SQLite", "Postgres", emptySQLite},
		{"PostgreSQL", "SQLite", emptyPostgres},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			db := row.open(t)
			for name, text := range statements(t) {
				if !strings.Contains(name, row.other) {
					prepare(t, db, name, text)
				}
			}
		})
	}
}

func emptySQLite(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trowel.db")
	made, err := sqlite.Open(t.Context(), sqlite.Options{Path: path}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func emptyPostgres(t *testing.T) *sql.DB {
	t.Helper()
	opts := pgtest.Options(t)
	opts.Parameters = postgres.Planner() // as on the connections of a store
	made, err := postgres.Open(t.Context(), opts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	return pgtest.Connect(t, opts)
}

func prepare(t *testing.T, db *sql.DB, name, text string) {
	t.Helper()
	stmt, err := db.PrepareContext(t.Context(), text)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
		return
	}
	defer func() { _ = stmt.Close() }()
}

// statements finds all statements in the source of the package.
func statements(t *testing.T) map[string]string {
	t.Helper()
	constants, bulks := declared(t)
	found := map[string]string{}
	for name := range constants {
		if strings.HasPrefix(name, "sql") {
			found[name] = evaluate(t, constants, constants[name])
		}
	}
	for i, literal := range bulks {
		fields := map[string]string{}
		for _, element := range literal.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				t.Fatalf("bulk statement %d has a field without a name", i)
			}
			name, _ := pair.Key.(*ast.Ident)
			fields[name.Name] = evaluate(t, constants, pair.Value)
		}
		name := fmt.Sprintf("bulk statement %d of %s, ", i, fields["table"])
		sqlite, postgres, arrays := store.BulkTexts(fields["table"], fields["columns"], fields["keys"], fields["unique"])
		found[name+"SQLite"] = sqlite
		if fields["table"] != "log_unpacked" { // only SQLite has this table
			found[name+"Postgres"], found[name+"Postgres arrays"] = postgres, arrays
		}
	}
	for i, text := range store.ManyTexts() {
		found["with places/"+strconv.Itoa(i)] = text
	}
	if len(constants) < 25 || len(bulks) < 6 {
		t.Errorf("found %d constants and %d bulk statements, want more: was the source moved?", len(constants), len(bulks))
	}
	return found
}

// declared returns the constants of the package with their expressions, and its bulk statements.
func declared(t *testing.T) (constants map[string]ast.Expr, bulks []*ast.CompositeLit) {
	t.Helper()
	constants = map[string]ast.Expr{}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						constants[name.Name] = n.Values[i]
					}
				}
			case *ast.CompositeLit:
				if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "bulk" {
					bulks = append(bulks, n)
				}
			}
			return true
		})
	}
	return constants, bulks
}

// evaluate returns the text of a constant expression.
func evaluate(t *testing.T, constants map[string]ast.Expr, expr ast.Expr) string {
	t.Helper()
	switch expr := expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(expr.Value)
		if err != nil {
			t.Fatalf("%s: %v", expr.Value, err)
		}
		return text
	case *ast.BinaryExpr:
		return evaluate(t, constants, expr.X) + evaluate(t, constants, expr.Y)
	case *ast.Ident:
		return evaluate(t, constants, constants[expr.Name])
	default:
		t.Fatalf("cannot evaluate %T", expr)
		return ""
	}
}
