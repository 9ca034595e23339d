package api

// Version is the answer of /api/version.
type Version struct {
	Version string `json:"version"`
}

// VersionCheck is RestVersionCheckResult.
type VersionCheck struct {
	ServerVersion      string `json:"serverVersion"`
	UpgradeRecommended bool   `json:"upgradeRecommended"` // the client is older than the server
	APICompatible      bool   `json:"apiCompatible"`      // the client can work with the server
}
