// Package secret finds secrets: texts with dotted keys such as "pg.password" that must not show up
// in logs, errors or answers.
//
// It has the order of look-ups of a local run (server 1.9.2), the renaming of keys by _secrets
// (operators 1.6) and the expansion of ${secret:KEY} (language 5.6). It does not know who may see
// which secret, and it does not write any. Read Finder first, then Value.
package secret
