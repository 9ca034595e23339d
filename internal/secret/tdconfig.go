package secret

import (
	"io"
	"os"
	"strings"
)

// maxTDConfigBytes is how much of the file is read.
const maxTDConfigBytes = 64 << 10

// ReadTDConfig returns the secrets in the configuration file of Treasure Data's command line, by key, such as td.apikey
// (operators 8.1). A file that is missing or cannot be read has none.
func ReadTDConfig(file string) map[string]string {
	if file == "" {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer in.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(in, maxTDConfigBytes))
	if err != nil {
		return nil
	}
	secrets := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, found := strings.Cut(strings.TrimSpace(line), "=")
		name = strings.TrimPrefix(strings.TrimSpace(name), "td.client.")
		if key := tdKey(name); found && key != "" {
			secrets[key] = strings.TrimSpace(value)
		}
	}
	if secrets["td.proxy.host"] != "" {
		secrets["td.proxy.enabled"] = "true"
	}
	return secrets
}

// tdKey returns the key of the secret that a name in the file stands for; empty for others, and for sections and comments.
func tdKey(name string) string {
	switch name {
	case "apikey", "endpoint", "proxy.host", "proxy.port", "proxy.user", "proxy.password":
		return "td." + name
	case "ssl", "usessl", "use_ssl":
		return "td.use_ssl"
	default:
		return ""
	}
}
