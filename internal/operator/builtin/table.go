package builtin

import (
	"maps"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/aws"
	"github.com/trowel-project/trowel/internal/operator/gcp"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/template"
)

// Options are the settings of all operators. The zero value has the defaults.
type Options struct {
	operator.Options
	TD  td.Options
	AWS aws.Options
	GCP gcp.Options
	SQL sqldb.Options
}

// Table returns all operators of this version.
func Table(o Options) operator.Table {
	table := operator.Core(o.Options)
	maps.Copy(table, td.Table(o.TD))
	maps.Copy(table, aws.Table(o.AWS))
	maps.Copy(table, gcp.Table(o.GCP))
	maps.Copy(table, sqldb.Table(o.SQL))
	return table
}

// Names returns the names of all operators, sorted.
func Names() []string { return Table(Options{}).Names() }

// Catalog returns what this version knows about workflow files, without settings. Messages use folder as the name
// of the project's folder.
func Catalog(folder string) dig.Catalog {
	catalog := Table(Options{}).Catalog(template.New(template.Options{}))
	catalog.Folder = folder
	return catalog
}
