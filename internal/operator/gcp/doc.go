// Package gcp has the operators for Google Cloud: gcs_wait, bq, bq_load, bq_extract and bq_ddl. It calls the REST APIs
// of Cloud Storage and BigQuery itself, as Google's client libraries would add 10 MB and more to the program.
package gcp
