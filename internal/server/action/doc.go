// Package action does things to attempts, and says beforehand what exactly will happen.
package action
