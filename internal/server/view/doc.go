// Package view has lists made for people. They join what other paths have apart.
package view
