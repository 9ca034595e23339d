// Package tdtest is a service like Treasure Data's for tests: it begins jobs once for each domain key, lets them run, has their
// results, and fails as it is told to. Only tests import it.
package tdtest
