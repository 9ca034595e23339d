package v1_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// The limits are Digdag versions. Neither a client's own version nor the server's is compared with them. A client without
// a version of its own gets the server's Digdag version.
func TestVersionCheck(t *testing.T) {
	t.Parallel()
	const own, digdag = "0.1.0", "0.10.6"
	for _, tc := range []struct {
		name, recommended, incompatible, query string
		want                                   api.VersionCheck
	}{
		{"our client", "0.10.0", "0.9.0", "client=0.10.6&version=0.1.0", api.VersionCheck{ServerVersion: own, APICompatible: true}},
		{"our client of any version", "0.10.0", "0.9.0", "client=0.10.6&version=99", api.VersionCheck{ServerVersion: own, APICompatible: true}},
		{"Digdag's client", "0.10.0", "0.9.0", "client=0.10.5", api.VersionCheck{ServerVersion: digdag, APICompatible: true}},
		{"an older one", "0.10.0", "0.9.0", "client=0.9.42", api.VersionCheck{ServerVersion: digdag, UpgradeRecommended: true, APICompatible: true}},
		{"one that is too old", "0.10.0", "0.9.0", "client=0.8.30", api.VersionCheck{ServerVersion: digdag, UpgradeRecommended: true}},
		{"no limits", "", "", "client=0.1.0", api.VersionCheck{ServerVersion: digdag, APICompatible: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := servertest.New(t, func(o *server.Options) {
				o.V1.Versions.UpgradeRecommended, o.V1.Versions.Incompatible = tc.recommended, tc.incompatible
			})
			a := h.Get(t, "/api/version/check?"+tc.query)
			var got api.VersionCheck
			if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != http.StatusOK {
				t.Fatalf("check: %d %s, %v", a.Status, a.Body, err)
			}
			if got != tc.want {
				t.Errorf("check = %+v, want %+v", got, tc.want)
			}
		})
	}
}
