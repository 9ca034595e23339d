package config

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Server has all settings of a server. A text that is not set is empty.
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
	UI           UI

	// ShutdownGrace is how long a stopping server waits for running tasks. Zero means without limit.
	ShutdownGrace time.Duration
	// KeepAttempts is how long ended attempts are kept. Zero means for ever.
	KeepAttempts time.Duration
	// TempDir is the folder of temporary files. Empty for the system's.
	TempDir string
	// RuntimeInfo is the file that is written after binding (server 3.3). Empty for none.
	RuntimeInfo string
	// DefaultParams are parameters of every attempt, the weakest. Never nil.
	DefaultParams *param.Map
	// Environment has variables that are added to the environment of the server's commands.
	Environment map[string]string
	// Operators are the checked settings of operators, config.* and param_server.*, by their whole
	// keys. Those that are not set are missing.
	Operators map[string]string
}

// Listen says on which addresses the server answers, and how.
type Listen struct {
	Bind            string            // address of the API
	Port            int               // zero for any free one
	AdminBind       string            // address of the admin listener
	AdminPort       int               // only if HasAdmin
	HasAdmin        bool              // there is an admin listener
	TLSCert, TLSKey string            // files; both are set or none
	Insecure        bool              // a public address without authentication is allowed
	AllowedHosts    []string          // further host names that requests may be sent to
	IdleTimeout     time.Duration     // how long a connection may wait for a request
	HeadTimeout     time.Duration     // how long the head of a request may take
	StallTimeout    time.Duration     // how long a body or an answer may stand still
	HTTP2           bool              // speak HTTP/2 as well
	Headers         map[string]string // added to every answer
	Swagger         bool              // serve the description of the API, also for other origins
}

// Auth says who may use the API. Without a Username everybody may.
type Auth struct {
	Username, Password string
	Admin              bool // the user is an administrator
}

// SignIn reports whether callers must sign in.
func (a *Auth) SignIn() bool { return a.Username != "" }

// Names returns the host names that requests may be sent to, besides localhost. Nil means all of them. A server without
// authentication only answers to its own names, so that no web page can reach it under the page's name.
func (s *Server) Names() []string {
	l := &s.Listen
	if len(l.AllowedHosts) == 0 && (s.Auth.SignIn() || l.Insecure) {
		return nil
	}
	return append([]string{l.Bind, l.AdminBind}, l.AllowedHosts...)
}

// API has the limits of answers and requests.
type API struct {
	MaxAttemptsPage, MaxSessionsPage int
	MaxArchiveBytes                  int64
}

// UI has the settings of web pages.
type UI struct {
	Enabled bool   // the web UI is served
	Links   []Link // to other sites
}

// Link is a template of links to other sites, for values of tasks.
type Link struct{ Match, Title, URL string }

// AccessLog is the log of requests. It is off without a Dir.
type AccessLog struct{ Dir, Pattern string }

// Versions are the versions of clients from which there is no advice to upgrade, and no refusal.
type Versions struct{ UpgradeIfOlder, IncompatibleIfOlder string }

// Database says where the rows are.
type Database struct {
	Type string // DatabaseMemory, DatabaseSQLite or DatabasePostgreSQL
	File string // of SQLite

	Host, User, Password, Name string // of PostgreSQL
	Port                       int    // zero for PostgreSQL's default
	// SSLMode is one of libpq's: disable, allow, prefer, require, verify-ca or verify-full. The other three are files.
	SSLMode, SSLCert, SSLKey, SSLRootCert string

	ConnectTimeout time.Duration // for making a connection
	SocketTimeout  time.Duration // for one statement
	IdleTimeout    time.Duration // how long an unused connection is kept
	MaxConnections int           // zero for a default that depends on the number of cores
	Migrate        bool          // bring tables up to date at the start
	ExpireInterval time.Duration // how often the server looks for ended leases
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
	Enabled        bool          // if false, this server does not move tasks on
	TaskTTL        time.Duration // an attempt with a task that runs longer is killed
	AttemptTTL     time.Duration // an attempt that is older is killed
	TTLInterval    time.Duration // how often the server looks for these two
	MaxTasks       int           // in an attempt
	MaxAttempts    int           // that run at the same time
	RequireOthers  bool          // require> may start workflows of other projects
	MaxConcurrency int           // running tasks on all agents, Digdag's setting

	MaxRunningTasks int           // on all agents; zero without limit
	Aging           time.Duration // after this time the weight of a waiting task grows by one; zero for never
	ReserveAfter    time.Duration // after this time a task that needs several slots keeps others out; zero for never
	Pools           []Pool        // pools that are made at the start, in the order of their names
}

// Pool is a pool of the site (control K801). Fields that are nil are not set, and stay as they are.
type Pool struct {
	Name            string
	Slots           int // with zero nothing starts; trowel.Unlimited for no limit
	Description     *string
	IncludeDeferred *bool // tasks keep their slots while they are deferred
}

// Schedule has settings of schedules.
type Schedule struct{ Enabled bool }

// Agent is the agent in the server's process.
type Agent struct {
	Enabled         bool          // this server runs tasks itself
	ID              string        // empty for process id and host
	Slots           int           // zero without limit
	Heartbeat       time.Duration // time between two heartbeats
	Lease           time.Duration // how long a lease lasts after a heartbeat
	Queues          []string      // queues that it serves; empty for the default one
	Labels          []string      // labels that it offers
	PoisonLimit     int           // number of losses in a row after which a task fails; zero for never
	Servers         []string      // addresses of servers, for an agent that is a process of its own
	Token           string        // with which an agent that is a process of its own signs in
	CACert          string        // file
	KillGrace       time.Duration // between SIGTERM and SIGKILL
	CommandExecutor string        // name of the executor of commands
	// CommandUser is the user of commands, by name or number. CommandGroup is its group, if not the user's
	// own. Empty for the user of this process.
	CommandUser, CommandGroup string
	// Limits are the bounds of the commands of a try. Zero is without limit.
	Limits trowel.CommandLimits
	// Executors are the settings of command executors, below agent.command_executor.
	Executors map[string]string
}

// Storage says where large things are stored.
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
	Path               string        // prefix of all keys: empty, or without a slash at its beginning and with one at its end
	DirectDownload     bool          // clients are sent to the store
	DownloadExpiration time.Duration // how long signed URLs for downloads are valid
	UploadExpiration   time.Duration // how long signed URLs for uploads are valid

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
	SplitBytes  int64 // StorageFile: a new file begins after so much text; zero for never
	MaskSecrets bool  // in the output of tasks
}

// Secrets has the keys that encrypt secrets, as Base64.
type Secrets struct {
	Key     string   // encrypts and decrypts; empty for none
	OldKeys []string // only decrypt
}

// Notification says how people learn of failures (server 7.1). Without a Type nothing is sent.
type Notification struct {
	Type             string // empty, "http", "mail" or "shell"
	Retries          int    // number of tries after the first one
	MinWait, MaxWait time.Duration

	URL, Method string
	Headers     map[string]string // of HTTP requests

	Host                  string
	Port                  int
	Sender                string
	To, Cc, Bcc           []string
	Subject               string
	BodyTemplateFile      string // template of mails; empty for the default
	HTML, TLS, SSL, Debug bool
	Username, Password    string

	Command string        // shell command, for "shell"
	Timeout time.Duration // how long the command may run
}
