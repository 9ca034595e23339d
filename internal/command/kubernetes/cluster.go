package kubernetes

import (
	"encoding/base64"
	"log/slog"
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
)

// cluster is where pods run.
type cluster struct {
	name      string
	endpoint  endpoint
	token     string
	namespace string
	podTTL    time.Duration // zero for no limit
}

// endpoint is an API server and the certificates by which it is known.
type endpoint struct {
	server string // URL without a slash at its end
	ca     string // PEM
}

// Texts of operators 4.5.
const (
	textUnreadable = "Could not read kubeConfig, check kube_config_path."
	textFile       = "kube config must have server:, certificate-authority-data: access-token: and namespace:"
	textSettings   = "kubernetes config must have master:, certs_ca_data:, oauth_token: and namespace: or kube_config_path:"
)

// readCluster reads the settings of the cluster. A file with it is read each time, as its token may be replaced.
func readCluster(s transfer.Settings) (*cluster, error) {
	name, err := s.Required("kubernetes.name")
	if err != nil {
		return nil, err
	}
	prefix := "kubernetes." + name + "."
	c := &cluster{name: name}
	var ca string
	text := textSettings
	if path := s.Text(prefix + "kube_config_path"); path != "" {
		file, err := os.ReadFile(path)
		if err != nil {
			return nil, param.Errorf("%s (%s)", textUnreadable, err)
		}
		found, err := readKubeconfig(string(file))
		if err != nil {
			return nil, param.Errorf("%s (%s)", textUnreadable, err)
		}
		c.endpoint.server, ca, c.token, c.namespace, text = found.server, found.ca, found.token, found.namespace, textFile
	} else {
		c.endpoint.server, ca = s.Text(prefix+"master"), s.Text(prefix+"certs_ca_data")
		c.token, c.namespace = s.Text(prefix+"oauth_token"), s.Text(prefix+"namespace")
	}
	if c.endpoint.server == "" || ca == "" || c.token == "" || c.namespace == "" {
		return nil, param.Errorf("%s", text)
	}
	pem, err := base64.StdEncoding.DecodeString(ca)
	if err != nil {
		return nil, param.Errorf("The certificates of the authority of the cluster %s are not PEM in base64", name)
	}
	c.endpoint.ca = string(pem)
	if ttl := s.Text("kubernetes.default_pod_ttl"); ttl != "" {
		if c.podTTL, err = param.ParseDuration(ttl); err != nil {
			return nil, param.Errorf("%skubernetes.default_pod_ttl: %s", transfer.SettingsPrefix, err)
		}
	}
	return c, nil
}

// connect returns the cluster of the settings and a client of it. Connections are kept.
func (e *Executor) connect(log *slog.Logger) (*cluster, *client, error) {
	c, err := readCluster(e.options.Setting)
	if err != nil {
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	transport := e.clients[c.endpoint]
	if transport == nil {
		if transport, err = newTransport(&c.endpoint); err != nil {
			return nil, nil, err
		}
		e.clients[c.endpoint] = transport
	}
	return c, &client{cluster: c, http: transport, pause: e.times.again, log: log}, nil
}
