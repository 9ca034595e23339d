package cli

import (
	"regexp"

	"github.com/trowel-project/trowel/internal/textutil"
)

// Lists of options that several commands have. They are tables: nobody changes them.
//
//nolint:gochecknoglobals // tables that are only read
var (
	// What completion proposes.
	anyFile      = offer{kind: offerFiles}
	anyFolder    = offer{kind: offerFolders}
	workflowFile = offer{kind: offerWorkflows}
	commandName  = offer{kind: offerCommands}

	// logLevels are the values of --log-level (server 1.4).
	logLevels = []string{"error", "warn", "info", "debug", "trace"}

	// commonOptions are the options of every command (server 1.4). --version is in the list for usage
	// and completion: it never gets to the parser.
	commonOptions = []option{
		configOption,
		textOption("PATH", "write log messages to this file; - is standard output", "-L", "--log").
			or("-").offering(anyFile),
		textOption("LEVEL", "log messages of this level and above: "+textutil.CommaList(logLevels), "-l", "--log-level").
			or("info").offering(oneOf(logLevels...)),
		textOption("PATH", "accepted for Digdag's sake; has no effect", "--logback-config").offering(anyFile),
		{names: []string{"-X"}, takes: takesProperty, value: "KEY=VALUE", help: "set a setting for this command"},
		helpOption,
		versionOption,
	}

	// Options that may stand before the command, too.
	configOption  = textOption("PATH", "read settings from this properties file", "-c", "--config").offering(anyFile)
	helpOption    = flagOption("show this text", "-help", "-h", "--help")
	versionOption = flagOption("show the version and nothing else", "--version")

	// mainOptions are the options that may stand before the name of the command (server 1.2).
	mainOptions = []option{
		configOption,
		helpOption,
	}

	// clientOptions are the options of every command that talks to a server (server 1.7.1).
	clientOptions = []option{
		textOption("URL", "address of the server, e.g. http://127.0.0.1:65432", "-e", "--endpoint"),
		pairsOption("send a further header with each request", "-H", "--header"),
		textOption("USER:PASS", "sign in with name and password", "--basic-auth").checked(userAndPassword),
		textOption("TOKEN", "sign in with a token; better in the variable TROWEL_TOKEN, which others do not see", "--token"),
		flagOption("do not ask whether the server fits this version", "--disable-version-check"),
		flagOption("accept any TLS certificate of the server", "--disable-cert-validation"),
	}

	// paramOptions are the options that give parameters (server 1.6).
	paramOptions = []option{
		pairsOption("set a parameter; dots in KEY nest", "-p", "--param"),
		textOption("PATH.yml", "read parameters from a YAML file", "-P", "--params-file").offering(anyFile),
	}

	// projectOption names the project's folder.
	projectOption = textOption("DIR", "folder of the project; default: the current one", "--project").offering(anyFolder)

	// serverOptions are the options of server and scheduler (server 1.9.4).
	serverOptions = []option{
		intOption("PORT", "port of the API; default: 65432", "-n", "--port"),
		textOption("ADDR", "address to listen on; default: 127.0.0.1", "-b", "--bind"),
		intOption("PORT", "port of a second listener for administration", "--admin-port"),
		textOption("ADDR", "address of the second listener; default: as --bind", "--admin-bind"),
		flagOption("keep the database in memory", "-m", "--memory"),
		textOption("DIR", "keep the database in this folder", "-o", "--database").offering(anyFolder),
		textOption("DIR", "keep logs of tasks in this folder", "-O", "--task-log").offering(anyFolder),
		textOption("DIR", "keep access logs in this folder", "-A", "--access-log").offering(anyFolder),
		intOption("N", "run at most N tasks at a time", "--max-task-threads"),
		flagOption("do not run tasks here", "--disable-local-agent"),
		flagOption("do not move workflows on here", "--disable-executor-loop"),
		flagOption("do not start what schedules say", "--disable-scheduler"),
		flagOption("describe the API at /api/swagger.json", "--enable-swagger"),
		pairsOption("send a further header with each answer", "-H", "--header"),
		textOption("FILE", "certificate chain, PEM: speak HTTPS", "--tls-cert").offering(anyFile),
		textOption("FILE", "private key of the certificate, PEM", "--tls-key").offering(anyFile),
		flagOption("allow an address that others can reach without authentication", "--insecure"),
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
