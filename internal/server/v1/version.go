package v1

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Versions are those that the server tells its clients.
type Versions struct {
	Server             string // as clients see it (server 2.6.1)
	Digdag             string // whose API the server has, for Digdag's clients
	UpgradeRecommended string // clients below it are told to upgrade, see server.client-version-check.*; may be empty
	Incompatible       string // clients below it are told that they are incompatible; may be empty
}

func (v *Versions) get(*rest.Call) (any, error) { return api.Version{Version: v.Server}, nil }

// check compares the Digdag version of a client with the configured limits (server 2.6.1). Digdag's clients show the
// version of the server when they advise to upgrade, so they get the Digdag version. A client that sends a version of
// its own gets the server's own.
func (v *Versions) check(c *rest.Call) (any, error) {
	if !c.Query.Has("client") {
		return nil, rest.Invalid("client= is required")
	}
	client, ok := parseVersion(c.Query.Get("client"))
	if !ok {
		return nil, rest.Invalid("Invalid version string: %s", c.Query.Get("client"))
	}
	older := func(limit string) bool {
		wanted, ok := parseVersion(limit)
		return ok && client.compare(wanted) < 0
	}
	own := v.Digdag
	if c.Query.Has("version") {
		own = v.Server
	}
	return api.VersionCheck{
		ServerVersion: own, UpgradeRecommended: older(v.UpgradeRecommended), APICompatible: !older(v.Incompatible),
	}, nil
}

// versionForm is numbers with dots and without leading zeros, and perhaps a qualifier.
var versionForm = regexp.MustCompile(`^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*(?:-([a-zA-Z0-9_.-]+))?$`)

type version struct {
	numbers   []int64
	qualifier string
}

func parseVersion(text string) (version, bool) {
	match := versionForm.FindStringSubmatch(text)
	if match == nil {
		return version{}, false
	}
	numbers, _, _ := strings.Cut(text, "-")
	v := version{qualifier: match[1]}
	for part := range strings.SplitSeq(numbers, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return version{}, false
		}
		v.numbers = append(v.numbers, n)
	}
	return v, true
}

// compare is negative if v is older. A missing number is 0. A version with a qualifier is older than without.
func (v version) compare(other version) int {
	for i := range max(len(v.numbers), len(other.numbers)) {
		if order := cmp.Compare(at(v.numbers, i), at(other.numbers, i)); order != 0 {
			return order
		}
	}
	switch {
	case v.qualifier == "" && other.qualifier != "":
		return 1
	case v.qualifier != "" && other.qualifier == "":
		return -1
	default:
		return strings.Compare(v.qualifier, other.qualifier)
	}
}

func at(numbers []int64, i int) int64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}
