// Package secret finds secrets: texts with dotted keys such as "pg.password" that must not appear
// in logs, errors or answers.
//
// It has the order of look-ups of a local run (server 1.9.2) and of a server (3.7), the encrypted
// form in which a server stores them, the renaming of keys by _secrets (operators 1.6), the expansion
// of ${secret:KEY} (language 5.6) and the masking of output. It does not know who may see
// which secret, and it does not store any. Read Finder first, then Value, Crypter and Mask.
package secret
