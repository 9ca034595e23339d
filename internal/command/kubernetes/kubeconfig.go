package kubernetes

import (
	"encoding/base64"
	"os"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// kubeconfig is what is used of a file with the access to a cluster.
type kubeconfig struct {
	server, token, namespace string
	ca                       string // PEM in base64
}

// readKubeconfig reads the present context of a file.
func readKubeconfig(text string) (found kubeconfig, err error) {
	document, err := yaml.Parse(text)
	if err != nil {
		return found, err
	}
	root := (*node)(document.Root)
	context := root.named("contexts", root.text("current-context")).child("context")
	cluster := root.named("clusters", context.text("cluster")).child("cluster")
	user := root.named("users", context.text("user")).child("user")
	found = kubeconfig{
		server: cluster.text("server"), ca: cluster.text("certificate-authority-data"), namespace: context.text("namespace"),
		token: user.text("token"),
	}
	if found.ca == "" {
		found.ca = base64.StdEncoding.EncodeToString([]byte(cluster.file("certificate-authority")))
	}
	for _, other := range []string{user.file("tokenFile"), user.child("auth-provider").child("config").text("access-token")} {
		if found.token == "" {
			found.token = other
		}
	}
	return found, nil
}

// node is a part of the file; nil for a missing one.
type node yaml.Node

func (n *node) child(key string) *node {
	if n == nil || n.Kind != yaml.Mapping {
		return nil
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		if n.Children[i].Value == key {
			return (*node)(n.Children[i+1])
		}
	}
	return nil
}

// named returns the element of a list whose name is given.
func (n *node) named(key, name string) *node {
	list := n.child(key)
	if list == nil {
		return nil
	}
	for _, element := range list.Children {
		if (*node)(element).text("name") == name {
			return (*node)(element)
		}
	}
	return nil
}

func (n *node) text(key string) string {
	if value := n.child(key); value != nil {
		return value.Value
	}
	return ""
}

// file returns the text of the file that a key names; empty if it cannot be read.
func (n *node) file(key string) string {
	path := n.text(key)
	if path == "" {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
