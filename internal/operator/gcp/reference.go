package gcp

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 10.3.
const (
	badTable     = "Bad table reference: "
	badDataset   = "Bad dataset reference: "
	badNoDataset = "Bad table reference. Either configure 'dataset' or include dataset name in table reference: "
)

// maxTableName is the length of the longest name of a table.
const maxTableName = 1024

// dataset names a dataset. The project may be empty.
type dataset struct{ project, id string }

// table names a table.
type table struct{ project, dataset, id string }

func (d dataset) reference() *param.Map {
	reference := param.Of("datasetId", d.id)
	if d.project != "" {
		reference.Set("projectId", d.project)
	}
	return reference
}

func (t table) reference() *param.Map {
	return param.Of("projectId", t.project, "datasetId", t.dataset, "tableId", t.id)
}

func illegal(message string) error {
	return &operator.Error{Kind: operator.KindIllegalArgument, Message: message}
}

// parseDataset reads [PROJECT:]DATASET.
func parseDataset(text string) (dataset, error) {
	project, id, found := strings.Cut(text, ":")
	if !found {
		project, id = "", text
	}
	if id == "" || found && project == "" {
		return dataset{}, illegal(badDataset + text)
	}
	return dataset{project, id}, nil
}

// optDataset reads the option dataset, which is empty if it is missing.
func optDataset(params *param.Reader) (dataset, error) {
	text, found, err := params.OptString("dataset")
	if err != nil || !found {
		return dataset{}, err
	}
	return parseDataset(text)
}

var tableForm = regexp.MustCompile(`^(?:([^:]+):)?(?:([^.]+)\.)?([a-zA-Z0-9_]+)(\$[0-9]{8})?$`)

// parseTable reads [PROJECT:][DATASET.]TABLE. What is missing is that of the default dataset, and the project else that of the
// credential.
func parseTable(text string, otherwise dataset, project string) (table, error) {
	parts := tableForm.FindStringSubmatch(text)
	if parts == nil || len(parts[3]) > maxTableName {
		return table{}, illegal(badTable + text)
	}
	found := table{parts[1], parts[2], parts[3] + parts[4]}
	if found.dataset == "" {
		if found.dataset = otherwise.id; found.dataset == "" {
			return table{}, illegal(badNoDataset + text)
		}
	}
	for _, known := range []string{otherwise.project, project} {
		if found.project == "" {
			found.project = known
		}
	}
	return found, nil
}
