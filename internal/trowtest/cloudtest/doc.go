// Package cloudtest leads tests to services of clouds that others have rebuilt: moto and fake-gcs-server, which `make clouds`
// starts. Tests that ask for a service which does not run are skipped. Only tests import this package.
package cloudtest
