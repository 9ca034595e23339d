package docker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// variables are the variables of a command on their way into the container. Their values never stand in the arguments of the
// client, which everybody on the machine can read.
type variables struct {
	options []string // of "docker run"
	env     []string // for the client, which takes the values from there
	file    string   // absolute path of a file that the client reads; empty for none
}

// variables returns the variables of the command. A value goes to the client in its environment, which it passes on for
// "-e NAME". But the client itself would heed a variable such as DOCKER_HOST; such ones go into a file, where a value is one
// line.
func (c *container) variables() (*variables, error) {
	v := &variables{}
	var lines []string
	for _, entry := range c.request.Env {
		name, value, _ := strings.Cut(entry, "=")
		if !isForClients(name) {
			v.options, v.env = append(v.options, "-e", name), append(v.env, entry)
			continue
		}
		if strings.ContainsAny(value, "\r\n") || !utf8.ValidString(value) {
			return nil, param.Errorf("The variable %s cannot be given to a container: its value must be one line of UTF-8, as the client reads such a variable itself", name)
		}
		lines = append(lines, entry)
	}
	if len(lines) == 0 {
		return v, nil
	}
	v.file = filepath.Join(c.request.Project, filepath.FromSlash(c.request.IODir), "variables.env")
	if err := writeNew(v.file, strings.Join(lines, "\n")+"\n"); err != nil {
		return nil, fmt.Errorf("write the variables of the container: %w", err)
	}
	v.options = append(v.options, "--env-file", v.file)
	return v, nil
}

// writeNew writes a file that must not exist yet: a link in its place would lead elsewhere.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // a file of the command
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// remove removes the file.
func (v *variables) remove() {
	if v.file != "" {
		os.Remove(v.file) //nolint:errcheck,gosec // it goes with the folder of the command at the latest
	}
}

// isForClients reports whether clients, or the libraries and shells that they are made with, heed a variable.
func isForClients(name string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains([]string{
		"PATH", "HOME", "TMPDIR", "USER", "SHELL", "ENV", "BASH_ENV", "IFS", "PWD",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "FTP_PROXY",
		"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "REGISTRY_AUTH_FILE", "NO_COLOR",
	}, upper) {
		return true
	}
	return slices.ContainsFunc([]string{
		"DOCKER_", "BUILDKIT_", "BUILDX_", "COMPOSE_", "MOBY_", "CONTAINER_", "CONTAINERS_", "_CONTAINERS_", "PODMAN_", "BUILDAH_", "STORAGE_",
		"NETAVARK_", "LD_", "GODEBUG", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GOTRACEBACK", "XDG_", "SSL_CERT_", "OTEL_", "MALLOC_", "GLIBC_",
	}, func(prefix string) bool { return strings.HasPrefix(upper, prefix) })
}
