// Package aws has the operators for Amazon Web Services: s3_wait and emr.
package aws
