// Package view has lists that are made for people, which join what the nouns of the API keep apart.
package view
