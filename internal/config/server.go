package config

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Server is all that can be set of a server. A text that was not set is empty.
type Server struct {
	Listen       Listen
	Auth         Auth
	API          API
	AccessLog    AccessLog
	Versions     Versions
	Database     Database
	Engine       Engine
	Agent        Agent
	Schedule     Schedule
	Archives     Storage
	Logs         Logs
	Secrets      Secrets
	Notification Notification

	// ShutdownGrace is how long a stopping server waits for running tasks; zero is without limit.
	ShutdownGrace time.Duration
	// KeepAttempts is how long ended attempts are kept; zero is for ever.
	KeepAttempts time.Duration
	// TempDir is the folder of temporary files; empty is the system's.
	TempDir string
	// RuntimeInfo is the file that is written after binding (server 3.3); empty is none.
	RuntimeInfo string
	// DefaultParams are parameters of every attempt, the weakest. Never nil.
	DefaultParams *param.Map
	// Environment are variables of the server's commands on top of the process's own.
	Environment map[string]string
	// Operators are the checked settings of operators, config.* and param_server.*, by their whole
	// keys; those that are not set are missing.
	Operators map[string]string
}

// Listen says where and how the server answers.
type Listen struct {
	Bind            string
	Port            int // zero: any free one
	AdminBind       string
	AdminPort       int // only if HasAdmin
	HasAdmin        bool
	TLSCert, TLSKey string // files; both or none
	Insecure        bool   // a public address without authentication is wanted
	AllowedHosts    []string
	IdleTimeout     time.Duration
	HeadTimeout     time.Duration
	StallTimeout    time.Duration
	HTTP2           bool
	Headers         map[string]string
	Swagger         bool
}

// Auth says who may use the API. Without a Username everybody may.
type Auth struct {
	Username, Password string
	Admin              bool
}

// SignIn reports whether callers must sign in.
func (a *Auth) SignIn() bool { return a.Username != "" }

// Names are the host names that requests may be sent to, besides localhost; nil for all of them. A server that
// asks nobody who they are answers to its own names only, so that no page can reach it under a name of the page.
func (s *Server) Names() []string {
	l := &s.Listen
	if len(l.AllowedHosts) == 0 && (s.Auth.SignIn() || l.Insecure) {
		return nil
	}
	return append([]string{l.Bind, l.AdminBind}, l.AllowedHosts...)
}

// API has limits of answers and requests.
type API struct {
	MaxAttemptsPage, MaxSessionsPage int
	MaxArchiveBytes                  int64
}

// AccessLog is the log of requests. It is off without a Dir.
type AccessLog struct{ Dir, Pattern string }

// Versions are the versions of clients from which on there is no advice to upgrade and no refusal.
type Versions struct{ UpgradeIfOlder, IncompatibleIfOlder string }

// Database says where the rows are.
type Database struct {
	Type string // DatabaseMemory, DatabaseSQLite or DatabasePostgreSQL
	File string // of SQLite

	Host, User, Password, Name string // of PostgreSQL
	Port                       int    // zero: PostgreSQL's
	// SSLMode is that of libpq: disable, allow, prefer, require, verify-ca or verify-full.
	SSLMode, SSLCert, SSLKey, SSLRootCert string

	ConnectTimeout time.Duration
	SocketTimeout  time.Duration
	IdleTimeout    time.Duration
	MaxConnections int // zero: by the number of cores
	Migrate        bool
	ExpireInterval time.Duration // how often ended leases are looked for
}

// Values of Database.Type.
const (
	DatabaseMemory     = "memory"
	DatabaseSQLite     = "sqlite"
	DatabasePostgreSQL = "postgresql"
)

// DatabaseFile is the name of a database in SQLite, in its folder.
const DatabaseFile = "trowel.db"

// Engine has the limits of attempts.
type Engine struct {
	Enabled        bool // false: this server does not move tasks on
	TaskTTL        time.Duration
	AttemptTTL     time.Duration
	TTLInterval    time.Duration
	MaxTasks       int  // of an attempt
	MaxAttempts    int  // running ones
	RequireOthers  bool // require> may start workflows of other projects
	MaxConcurrency int  // running tasks

	MaxRunningTasks int           // of all agents; zero: without limit
	Aging           time.Duration // a waiting task gains one of weight after it; zero: never
	ReserveAfter    time.Duration // a task that needs several slots keeps others out after it; zero: never
	Pools           []Pool        // that are made at start, in the order of their names
}

// Pool is a pool of the site (control K801). What is nil is not set, and stays as it is.
type Pool struct {
	Name            string
	Slots           int // zero: nothing starts; trowel.Unlimited
	Description     *string
	IncludeDeferred *bool // tasks keep their slots while they are deferred
}

// Schedule is about schedules.
type Schedule struct{ Enabled bool }

// Agent is the agent in the server's process.
type Agent struct {
	Enabled         bool
	ID              string // empty: process id and host
	Slots           int    // zero: without limit
	Heartbeat       time.Duration
	Lease           time.Duration
	Queues          []string // that it serves; empty for the default one
	Labels          []string // that it has
	PoisonLimit     int      // losses in a row after which a task fails; zero: never
	Servers         []string // of an agent that is a process of its own
	Token           string
	CACert          string        // file
	KillGrace       time.Duration // between SIGTERM and SIGKILL
	CommandExecutor string
	// CommandUser is whom commands run as, by name or number, and CommandGroup its group in place of its
	// own; empty: the user of this process.
	CommandUser, CommandGroup string
	// Executors are the settings of command executors below agent.command_executor.
	Executors map[string]string
}

// Storage says where bytes are kept that may be large.
type Storage struct {
	Type   string // StorageDatabase, StorageNone (logs only), StorageFile, StorageS3, StorageGCS, StorageAzure
	Folder string // of StorageFile
	Bucket Bucket // of the last three
}

// Values of Storage.Type.
const (
	StorageDatabase = "db"
	StorageNone     = "null"
	StorageFile     = "file"
	StorageS3       = "s3"
	StorageGCS      = "gcs"
	StorageAzure    = "azure"
)

// Bucket is a bucket of an object store, or a container of Azure.
type Bucket struct {
	Name               string
	Path               string // prefix of all keys: empty, or without a slash at its beginning and with one at its end
	DirectDownload     bool   // clients are sent to the store
	DownloadExpiration time.Duration
	UploadExpiration   time.Duration

	Endpoint                     string // S3, Azure
	PathStyle                    bool   // S3
	Region                       string // S3
	AccessKeyID, SecretAccessKey string // S3
	CredentialsFile              string // S3: AccessCredentials.properties; GCS: service account
	CredentialsJSON              string // GCS
	Account, AccountKey          string // Azure
}

// Logs says where the logs of tasks are kept.
type Logs struct {
	Storage
	SplitBytes  int64 // StorageFile: a new file begins after so much text; zero is never
	MaskSecrets bool  // in the output of tasks
}

// Secrets has the keys that secrets are encrypted with, Base64 each.
type Secrets struct {
	Key     string
	OldKeys []string
}

// Notification says how people are told of failures (server 7.1). Nothing is sent without a Type.
type Notification struct {
	Type             string // empty, "http", "mail" or "shell"
	Retries          int
	MinWait, MaxWait time.Duration

	URL, Method string
	Headers     map[string]string

	Host                  string
	Port                  int
	Sender                string
	To, Cc, Bcc           []string
	Subject               string
	BodyTemplateFile      string
	HTML, TLS, SSL, Debug bool
	Username, Password    string

	Command string
	Timeout time.Duration
}
