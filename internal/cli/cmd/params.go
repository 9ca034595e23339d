package cmd

import (
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/param"
)

// textNotNested is Digdag's text about a key below a value that is not an object (server 1.6).
const textNotNested = "Parameter '%s' is set but '%s' is not a object (%s)"

// parametersReader reads the file of --params-file: a YAML mapping, by the rules of .dig files.
type parametersReader func(path string) (*param.Map, error)

// Parameters collects the parameters of the command line, as ReadParameters does, with the settings of the command.
func (c *Call) Parameters() (*param.Map, error) {
	settings, err := c.Config()
	if err != nil {
		return nil, err
	}
	return ReadParameters(c, settings, c.Env.ReadParams)
}

// ReadParameters collects the parameters of the command line (server 1.6). Later sources win:
// settings below "params.", the file of --params-file, --param. A key below a value that is not an object is a
// *param.Error.
func ReadParameters(c *Call, settings config.Settings, read parametersReader) (*param.Map, error) {
	params := param.New()
	var err error
	for key, value := range settings.Prefix("params.") {
		if params, err = withNested(params, key, value); err != nil {
			return nil, err
		}
	}
	if file := c.Args.Text("--params-file"); file != "" {
		fromFile, err := read(file)
		if err != nil {
			return nil, err
		}
		params.Merge(fromFile)
	}
	return withOptions(params, c.Args.Pairs("--param"))
}

// withOptions adds the values of --param. New parameters come in the order of the hash map in which Digdag keeps them.
// If a key occurs more than once, its last value is used.
func withOptions(params *param.Map, pairs []Pair) (*param.Map, error) {
	values := map[string]string{}
	var keys []string
	for _, p := range pairs {
		if _, known := values[p.Key]; !known {
			keys = append(keys, p.Key)
		}
		values[p.Key] = p.Value
	}
	for _, key := range param.HashOrder(keys, param.HashMapSize(len(keys))) {
		var err error
		if params, err = withNested(params, key, values[key]); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// withNested adds a value to params. Dots in its key mean objects: a.b=1 is {"a":{"b":"1"}}.
func withNested(params *param.Map, key, value string) (*param.Map, error) {
	segments := strings.Split(strings.TrimRight(key, "."), ".") // Java's split drops empty ends
	return nest(params, key, segments, 0, value)
}

// nest sets the value below params, the object at a depth of the key's segments.
func nest(params *param.Map, key string, segments []string, depth int, value string) (*param.Map, error) {
	changed, name := params.Clone(), segments[depth]
	if depth == len(segments)-1 {
		changed.Set(name, value)
		return changed, nil
	}
	below := param.New()
	if old, found := params.Get(name); found {
		object, isObject := old.(*param.Map)
		if !isObject {
			return nil, param.Errorf(textNotNested, key, strings.Join(segments[:depth+1], "."), param.JSON(old))
		}
		below = object
	}
	below, err := nest(below, key, segments, depth+1, value)
	if err != nil {
		return nil, err
	}
	changed.Set(name, below)
	return changed, nil
}
