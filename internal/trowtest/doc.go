// Package trowtest gives tests of what is below the server a store, projects in it, a flusher that runs, and agents that
// work for it. New makes all of that at once. Everything ends with the test, and works in a bubble of testing/synctest.
//
// Tests of what is above use package servertest, which starts whole servers and agents. Only tests import these packages.
package trowtest
