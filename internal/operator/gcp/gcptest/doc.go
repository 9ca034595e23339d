// Package gcptest has Google's services for tests of operators: tokens and jobs of BigQuery, which fail as they are told to. Only
// tests import it.
package gcptest
