package operator

import (
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

const yamlInvalid = "Failed to parse yaml file" // operators 3.5, 8.6

// ParseYAML reads the text of a YAML file that an operator is given, as embulk> and td_load> are. It must contain an
// object. Values are those of workflow files: only true and false are booleans, there are no dates and no numbers of
// base 60, and a number that begins with 0 is octal (language L21). There are no includes.
func ParseYAML(text string) (*param.Map, error) {
	content, err := dig.ReadYAML([]byte(text))
	if err != nil {
		return nil, &Error{Kind: KindConfig, Message: yamlInvalid, Err: err}
	}
	return content, nil
}
