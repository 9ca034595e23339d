package cli

// version is the version of this program, in the grammar of server 2.6.1: numbers with dots, and
// perhaps a qualifier after a hyphen.
const version = "0.1.0"

// digdagVersion is the version of Digdag that this program stands for, as a client and as a server. Only
// it is ever compared with a version of Digdag.
const digdagVersion = "0.10.6"

// userAgent is what http> calls itself.
const userAgent = "Trowel/" + version
