package cmd

import (
	"regexp"

	"github.com/trowel-project/trowel/internal/textutil"
)

// NoEffect is the help text of options of Digdag's that change nothing here.
const NoEffect = "accepted for Digdag's sake; has no effect"

// Lists of options that several commands have. They are tables: nobody changes them.
//
//nolint:gochecknoglobals // tables that are only read
var (
	// What completion proposes.
	AnyFile      = Offer{kind: offerFiles}
	AnyFolder    = Offer{kind: offerFolders}
	WorkflowFile = Offer{kind: offerWorkflows}
	commandName  = Offer{kind: offerCommands}

	// logLevels are the values of --log-level (server 1.4).
	logLevels = []string{"error", "warn", "info", "debug", "trace"}

	// commonOptions are the options of every command (server 1.4). --version is in the list for usage
	// and completion: it never gets to the parser.
	commonOptions = []Option{
		configOption,
		TextOption("PATH", "write log messages to this file; - is standard output", "-L", "--log").
			Or("-").Offering(AnyFile),
		TextOption("LEVEL", "log messages of this level and above: "+textutil.CommaList(logLevels), "-l", "--log-level").
			Or("info").Offering(OneOf(logLevels...)),
		TextOption("PATH", NoEffect, "--logback-config").Offering(AnyFile),
		{Names: []string{"-X"}, Takes: takesProperty, Value: "KEY=VALUE", Help: "set a setting for this command"},
		helpOption,
		versionOption,
	}

	// Options that may stand before the command, too.
	configOption  = TextOption("PATH", "read settings from this properties file", "-c", "--config").Offering(AnyFile)
	helpOption    = FlagOption("show this text", "-help", "-h", "--help")
	versionOption = FlagOption("show the version and nothing else", "--version")

	// mainOptions are the options that may stand before the name of the command (server 1.2).
	mainOptions = []Option{
		configOption,
		helpOption,
	}

	// clientOptions are the options of every command that talks to a server (server 1.7.1).
	clientOptions = []Option{
		TextOption("URL", "address of the server, e.g. http://127.0.0.1:65432", "-e", "--endpoint"),
		pairsOption("send a further header with each request", "-H", "--header"),
		TextOption("USER:PASS", "sign in with name and password", "--basic-auth").Checked(userAndPassword),
		TextOption("TOKEN", "sign in with a token; better in the variable TROWEL_TOKEN, which others do not see", "--token"),
		FlagOption("do not ask whether the server fits this version", "--disable-version-check"),
		FlagOption("accept any TLS certificate of the server", "--disable-cert-validation"),
	}

	// ParamOptions are the options that give parameters (server 1.6).
	ParamOptions = []Option{
		pairsOption("set a parameter; dots in KEY nest", "-p", "--param"),
		TextOption("PATH.yml", "read parameters from a YAML file", "-P", "--params-file").Offering(AnyFile),
	}

	// ProjectOption names the project's folder.
	ProjectOption = TextOption("DIR", "folder of the project; default: the current one", "--project").Offering(AnyFolder)

	// ServerOptions are the options of server and scheduler (server 1.9.4).
	ServerOptions = []Option{
		IntOption("PORT", "port of the API; default: 65432", "-n", "--port"),
		TextOption("ADDR", "address to listen on; default: 127.0.0.1", "-b", "--bind"),
		IntOption("PORT", "port of a second listener for administration", "--admin-port"),
		TextOption("ADDR", "address of the second listener; default: as --bind", "--admin-bind"),
		FlagOption("keep the database in memory", "-m", "--memory"),
		TextOption("DIR", "keep the database in this folder", "-o", "--database").Offering(AnyFolder),
		TextOption("DIR", "keep logs of tasks in this folder", "-O", "--task-log").Offering(AnyFolder),
		TextOption("DIR", "keep access logs in this folder", "-A", "--access-log").Offering(AnyFolder),
		IntOption("N", "run at most N tasks at a time", "--max-task-threads"),
		FlagOption("do not run tasks here", "--disable-local-agent"),
		FlagOption("do not move workflows on here", "--disable-executor-loop"),
		FlagOption("do not start what schedules say", "--disable-scheduler"),
		FlagOption("describe the API at /api/swagger.json", "--enable-swagger"),
		pairsOption("send a further header with each answer", "-H", "--header"),
		TextOption("FILE", "certificate chain, PEM: speak HTTPS", "--tls-cert").Offering(AnyFile),
		TextOption("FILE", "private key of the certificate, PEM", "--tls-key").Offering(AnyFile),
		FlagOption("allow an address that others can reach without authentication", "--insecure"),
	}
)

// credentials is the form of --basic-auth.
var credentials = regexp.MustCompile(`^.+:.+$`)

// userAndPassword checks --basic-auth (server 1.7.1).
func userAndPassword(value string) string {
	if credentials.MatchString(value) {
		return ""
	}
	return "Expected format: username:password"
}
