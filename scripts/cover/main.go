// Cover prints which statements of each package tests reach, of profiles that scripts/cover.sh gathered: those of unit
// tests alone, and those of all suites together. It names the functions in which the most statements are not reached.
//
//	go run ./scripts/cover -unit .bin/cover/unit.txt -all .bin/cover/all.txt
//	go run ./scripts/cover -unit .bin/cover/unit.txt -all .bin/cover/all.txt -pkg 'template$'
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() {
	var o options
	flag.StringVar(&o.unit, "unit", "", "profile of unit tests")
	flag.StringVar(&o.all, "all", "", "profile of all suites together")
	flag.StringVar(&o.root, "root", ".", "folder of the module")
	flag.StringVar(&o.details, "pkg", "", "print all functions of the packages whose path matches this regular expression, with the lines that are not reached")
	flag.IntVar(&o.top, "top", 40, "rows of the list of functions")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	unit, all, root string
	details         string // expression for the packages whose details are wanted; empty for the summary
	top             int
}

func run(w io.Writer, o options) error {
	if o.unit == "" || o.all == "" {
		return errors.New("-unit and -all are required")
	}
	chosen, err := regexp.Compile(o.details)
	if err != nil {
		return fmt.Errorf("-pkg: %w", err)
	}
	module, err := modulePath(o.root)
	if err != nil {
		return err
	}
	unit, err := readProfile(o.unit, module)
	if err != nil {
		return err
	}
	all, err := readProfile(o.all, module)
	if err != nil {
		return err
	}
	if o.details != "" {
		return writeDetails(w, o.root, all, chosen)
	}
	return writeSummary(w, o, unit, all)
}
