// Package version has the version of this program, and the version of Digdag that it stands for.
package version

// Number is the version of this program, in the grammar of server 2.6.1: numbers with dots, and
// optionally a qualifier after a hyphen.
const Number = "0.1.0"

// Digdag is the version of Digdag that this program stands for, as a client and as a server. It is the only version
// that is compared with versions of Digdag.
const Digdag = "0.10.6"

// UserAgent is what http> calls itself.
const UserAgent = "Trowel/" + Number
