package serve

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// migrateReport describes the result of a migration.
type migrateReport struct {
	*digdag.Report

	program  string // its name in hints
	from, to string // databases
	archives string // archive.type of the target
}

func (r *migrateReport) write(w io.Writer) {
	terminal.Say(w, "Copied site %d of Digdag\n  from %s\n  to %s\n\n", r.Site, r.from, r.to)
	terminal.Say(w, "%-12s %10s %10s\n", "", "Digdag", "Trowel")
	for _, count := range r.Counts {
		terminal.Say(w, "%-12s %10d %10d\n", count.Name, count.Source, count.Target)
	}
	terminal.Say(w, "\nThe attempts have %s. %s read again and compared: equal.\n", textutil.Plural(int(r.Tasks), "task"), textutil.Plural(r.ComparedArchives, "archive"))
	for _, kind := range slices.Sorted(maps.Keys(r.Elsewhere)) {
		terminal.Say(w, "%s in %s: they stay there%s.\n", textutil.Plural(int(r.Elsewhere[kind]), "archive"), kind, r.elsewhere(kind))
	}
	for _, site := range r.OtherSites {
		terminal.Say(w, "Not copied: site %d with %s and %s; --site %d copies it into another database.\n",
			site.ID, textutil.Plural(int(site.Projects), "project"), textutil.Plural(int(site.Attempts), "attempt"), site.ID)
	}
	r.writeRunning(w)
	for _, text := range r.Warnings {
		terminal.Say(w, "warning: %s\n", text)
	}
}

// elsewhere says which setting a server needs to find archives of a kind.
func (r *migrateReport) elsewhere(kind string) string {
	if kind == r.archives {
		return ", where the settings look for them"
	}
	return fmt.Sprintf("; set archive.type = %s and archive.%s.* to what Digdag has", kind, kind)
}

// writeRunning lists the attempts that were not copied, with the commands that start them again.
func (r *migrateReport) writeRunning(w io.Writer) {
	if len(r.Running) == 0 {
		return
	}
	terminal.Say(w, "\nNot copied, as they had not ended: %s. They run again from the beginning with\n", textutil.Plural(len(r.Running), "attempt"))
	for i := range r.Running {
		running := &r.Running[i]
		command, note := r.restart(running)
		if command == "" {
			terminal.Say(w, "  attempt %d of %s: %s\n", running.Attempt, running.Workflow, note)
			continue
		}
		terminal.Say(w, "  %s\n", command)
		if note != "" {
			terminal.Say(w, "    %s\n", note)
		}
	}
	terminal.Say(w, "\n")
}

// restart returns the command that starts an attempt again, and a note about it. The command is empty if the attempt
// cannot be started.
func (r *migrateReport) restart(running *digdag.Running) (command, note string) {
	switch {
	case running.Project == "":
		return "", "its project is deleted"
	case running.Revision == "":
		return "", "its workflow was not stored"
	}
	at := running.SessionTime
	if zone, err := schedule.ParseZone(running.Zone); err == nil {
		at = at.In(zone.Location) // as the server reads the time of --session
	}
	words := []string{
		r.program, "start", running.Project, running.Workflow, "--session", at.Format(time.DateTime), "--revision", running.Revision,
	}
	if running.Name != "" {
		words = append(words, "--retry", running.Name)
	}
	var notes []string
	pairs, plain := assignments(running.Params)
	if plain {
		for _, pair := range pairs {
			words = append(words, "-p", pair)
		}
	} else {
		notes = append(notes, "with its parameters in a file for -P: "+param.JSON(running.Params))
	}
	switch {
	case running.Killed:
		notes = append(notes, "it was being killed")
	case running.Waiting:
		notes = append(notes, "it waited for the session before it in a backfill")
	}
	return textutil.ShellLine(words...), strings.Join(notes, "; ")
}

// assignments returns the parameters that people gave, in the form of -p. It leaves out those of the schedule, which are
// computed again. plain is false if -p cannot express them.
func assignments(params *param.Map) (pairs []string, plain bool) {
	for key, value := range params.All() {
		if key == "last_session_time" || key == "next_session_time" {
			continue
		}
		text, isText := value.(string)
		if !isText || strings.ContainsAny(text, ",\n") || strings.ContainsAny(key, "=,. ") {
			return nil, false
		}
		pairs = append(pairs, key+"="+text)
	}
	return pairs, true
}
