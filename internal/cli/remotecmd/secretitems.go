package remotecmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/secret"
)

// secretItems reads the arguments of secrets --set (server 1.10.19):
//
//	KEY=VALUE  KEY=@FILE  KEY=-  KEY  @FILE  @-
//
// The last two are mappings in YAML or JSON. Standard input can be read once.
type secretItems struct {
	call      *cmd.Call
	secrets   []cmd.Pair
	stdinRead bool
}

// readSecretItems returns keys and values in the order of the command line. All of them are checked.
func readSecretItems(c *cmd.Call, items []string) ([]cmd.Pair, error) {
	s := &secretItems{call: c}
	for _, item := range items {
		if err := s.read(item); err != nil {
			return nil, err
		}
	}
	for _, item := range s.secrets {
		if !secret.ValidKey(item.Key) {
			return nil, c.UsageError("Invalid secret key: "+item.Key).Hinting("%s", secret.KeyHint)
		}
		if !secret.ValidValue(item.Value) {
			return nil, c.UsageError(textSecretValue+item.Key).
				Hinting("%s", secret.ValueHint(item.Value))
		}
	}
	return s.secrets, nil
}

// textSecretValue is Digdag's text about a value that may not be stored (server 1.10.19).
const textSecretValue = "Invalid secret value for key: "

func (s *secretItems) read(item string) error {
	if source, many := strings.CutPrefix(item, "@"); many {
		return s.readMany(source)
	}
	key, value, found := strings.Cut(item, "=")
	if key == "" {
		return s.call.UsageError("").Hinting("%q has no key", item)
	}
	if s.has(key) {
		return s.call.UsageError(fmt.Sprintf("Duplicate --set secret key: '%s'", key))
	}
	if !found {
		return s.ask(key)
	}
	value, err := s.value(key, value)
	if err != nil {
		return err
	}
	s.secrets = append(s.secrets, cmd.Pair{Key: key, Value: value})
	return nil
}

// value reads what follows KEY=.
func (s *secretItems) value(key, text string) (string, error) {
	switch {
	case text == "": // Digdag crashes
		return "", s.call.UsageError(textSecretValue+key).
			Hinting("the value is empty; an empty secret can be read from a file: %s=@FILE", key)
	case text == "-":
		data, err := s.stdin()
		return string(data), err
	case text[0] == '-':
		return "", s.call.UsageError("").Hinting("a value that begins with - can be read from a file: %s=@FILE", key)
	case text == "@":
		return "", s.call.UsageError("").Hinting("%s=@ names no file", key)
	case text[0] == '@':
		data, err := s.call.Env.ReadFile(text[1:])
		return string(data), fix.UseSecretFile.Failed(err)
	}
	return text, nil
}

// ask reads a value from the terminal.
func (s *secretItems) ask(key string) error {
	if s.stdinRead {
		return s.call.UsageError("Stdin already read")
	}
	if !secret.ValidKey(key) { // before the user types a value in vain
		return s.call.UsageError("Invalid secret key: "+key).Hinting("%s", secret.KeyHint)
	}
	value, err := s.call.Env.AskSecret(key + ":")
	if err != nil {
		return fmt.Errorf("read the value of secret %s: %w; give it as %s=@FILE or %s=-", key, err, key, key)
	}
	s.secrets = append(s.secrets, cmd.Pair{Key: key, Value: value})
	return nil
}

// readMany reads a mapping of keys to values.
func (s *secretItems) readMany(source string) error {
	var data []byte
	var err error
	name := "file: " + source
	switch {
	case source == "":
		return s.call.UsageError("").Hinting("@ names no file")
	case source == "-":
		name = "stdin"
		data, err = s.stdin()
	case source[0] == '-':
		return s.call.UsageError("").Hinting("the name of a file that begins with - is written as @./%s", source)
	default:
		data, err = s.call.Env.ReadFile(source)
		err = fix.UseSecretFile.Failed(err)
	}
	if err != nil {
		return err
	}
	secrets, err := secretMapping(data)
	if err != nil {
		return fmt.Errorf("read secrets from %s: %w", strings.TrimPrefix(name, "file: "), err)
	}
	for _, item := range secrets {
		if item.Key == "" {
			return s.call.UsageError("Invalid key/value in " + name)
		}
		if s.has(item.Key) {
			return s.call.UsageError(fmt.Sprintf("Duplicate secret key: '%s' in %s", item.Key, name))
		}
		s.secrets = append(s.secrets, item)
	}
	return nil
}

// stdin reads all of standard input, once.
func (s *secretItems) stdin() ([]byte, error) {
	if s.stdinRead {
		return nil, s.call.UsageError("Can only read once from stdin")
	}
	s.stdinRead = true
	data, err := io.ReadAll(s.call.Env.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return data, nil
}

// has reports whether a key was given before.
func (s *secretItems) has(key string) bool {
	for _, item := range s.secrets {
		if item.Key == key {
			return true
		}
	}
	return false
}

// secretMapping reads a mapping in YAML or JSON, in its order. Numbers and booleans keep their text
// in the file.
func secretMapping(data []byte) ([]cmd.Pair, error) {
	document, err := yaml.Parse(string(data))
	if wrong, ok := errors.AsType[*yaml.Error](err); ok {
		return nil, fmt.Errorf("line %d: %s", wrong.Place.Line+1, wrong.Summary())
	}
	if err != nil {
		return nil, err
	}
	if document.Root == nil || document.Root.Kind != yaml.Mapping {
		return nil, errors.New("the content is no mapping of keys to values")
	}
	nodes := document.Root.Children
	var secrets []cmd.Pair
	for i := 0; i+1 < len(nodes); i += 2 {
		key, value := nodes[i], nodes[i+1]
		if key.Kind != yaml.Scalar {
			return nil, fmt.Errorf("line %d: a key must be a text", key.Start.Line+1)
		}
		if value.Kind != yaml.Scalar || isNull(value) {
			return nil, fmt.Errorf("line %d: the value of %s must be a text, a number or a boolean", value.Start.Line+1, key.Value)
		}
		secrets = append(secrets, cmd.Pair{Key: key.Value, Value: value.Value})
	}
	return secrets, nil
}

// isNull reports whether a scalar is null, with a tag or by its text.
func isNull(n *yaml.Node) bool {
	if n.Tag != "" || !n.Plain {
		return n.Tag == yaml.TagPrefix+"null"
	}
	return slices.Contains([]string{"", "~", "null", "Null", "NULL"}, n.Value)
}
