// House prints figures about how the code is divided: files in each package, methods of each receiver, fields of each
// struct, files that refer to each other in a circle, and texts that stand in several places. They inform reviews and
// fail nothing.
//
//	go run ./scripts/house
//	go run ./scripts/house -pkg 'flush$'
//	go run ./scripts/house -top 40 ./internal/...
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
)

func main() {
	o := options{dir: "."}
	flag.IntVar(&o.top, "top", 15, "rows of each list of the largest, 0 for all")
	flag.StringVar(&o.details, "pkg", "", "print the circles of the packages whose path matches this regular expression")
	flag.Parse()
	if o.patterns = flag.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./..."}
	}
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	dir      string   // of the module
	top      int      // rows of a list, 0 for all
	details  string   // expression for the packages whose details are wanted; empty for the summary
	patterns []string // packages, as `go list` takes them
}

func run(ctx context.Context, w io.Writer, o options) error {
	chosen, err := regexp.Compile(o.details)
	if err != nil {
		return fmt.Errorf("-pkg: %w", err)
	}
	packages, err := load(ctx, o.dir, o.patterns)
	if err != nil {
		return err
	}
	if o.details == "" {
		return writeSummary(w, packages, o.top)
	}
	packages = slices.DeleteFunc(packages, func(p *source) bool { return !chosen.MatchString(p.path) })
	if len(packages) == 0 {
		return fmt.Errorf("-pkg: no package has a path that matches %q", o.details)
	}
	for _, p := range packages {
		if err := writeDetails(w, p); err != nil {
			return err
		}
	}
	return nil
}
