package config

// Names that clients and agents share with servers.
const (
	// EnvToken is the variable of the environment with the token that a client or agent signs in with.
	EnvToken = "TROWEL_TOKEN"
	// KeyEndpoint is the setting with the server of clients.
	KeyEndpoint = "client.http.endpoint"
)
