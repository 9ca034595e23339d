package dig

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Texts of warnings about files.
const (
	noWorkflow    = "there is no workflow in %s: none of its files ends with .dig"
	notUTF8       = "this is not UTF-8: it is read as the character U+FFFD"
	clockHourly   = "'%s' is past the hour: a session runs %s after its hour has begun"
	clockDaily    = "'%s' is no time of day: a session runs %s after its day has begun"
	intervalLong  = "an hour has no %d minutes: this runs once an hour, at its beginning"
	slaNoClock    = "'%s' is no time of day"
	slaNotBoolean = "'%s' must be true or false: anything else counts as %v"
)

// noWorkflow reports that a folder has nothing to run.
func (in *inspection) noWorkflow() {
	folder := cmp.Or(in.catalog.Folder, "the folder")
	hint := "`trowel init .` in that folder makes a first one"
	if below := in.folderWithWorkflows(); below != "" {
		hint = "there are some in the folder " + below + ": name it with --project, only files at the top of a project are workflows"
	}
	in.tell(Finding{
		Place: Place{File: "."}, Severity: SeverityWarning, Rule: ruleNoWorkflow, Message: fmt.Sprintf(noWorkflow, folder), Hint: hint,
	})
}

// folderWithWorkflows returns the first folder directly below the project's that has workflow files, or "".
func (in *inspection) folderWithWorkflows() string {
	entries, err := fs.ReadDir(in.project.files, ".")
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if found, err := fs.Glob(in.project.files, entry.Name()+"/*"+suffix); err == nil && len(found) > 0 {
			return entry.Name()
		}
	}
	return ""
}

// encoding warns about the first byte of a file that is not UTF-8.
func (in *inspection) encoding(name, text string) {
	if utf8.ValidString(text) || isUTF16(text) { // UTF-16 is read as something that is not YAML, see typo
		return
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	before := text[:at]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	in.tell(Finding{
		Place: Place{name, line, column}, Severity: SeverityWarning, Rule: ruleEncoding, Message: notUTF8, Hint: "save the file as UTF-8",
	})
}

// isUTF16 reports whether a text begins with the mark of UTF-16.
func isUTF16(text string) bool {
	return strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")
}

// scheduleValues warns about a schedule that is accepted but probably not what its author means.
func (in *inspection) scheduleValues(w *Workflow, block *param.Map, plan *schedule.Schedule) {
	warn := func(message, hint string, keys ...string) {
		in.tell(Finding{
			Place:    in.sources.locate(w.File, append([]string{keySchedule}, keys...)),
			Severity: SeverityWarning, Rule: ruleSchedule, Message: message, Hint: hint,
		})
	}
	if _, err := plan.SkipOnOvertime(); err != nil {
		warn(inOwnWords(err.Error()), "", "skip_on_overtime")
	}
	if _, _, err := plan.SkipDelayedBy(); err != nil {
		warn(inOwnWords(err.Error()), "write days, hours, minutes and seconds, such as `1h 30m`", "skip_delayed_by")
	}
	key, kind, value := operatorOf(block)
	clock, _ := param.AsString(value)
	if at, ok := block.Get("at"); ok && value == nil {
		clock, _ = param.AsString(at)
	}
	if _, after, found := strings.Cut(clock, ","); found && (kind == "weekly" || kind == "monthly") {
		clock = after
	}
	switch kind {
	case "hourly":
		if seconds, odd := oddClock(clock, 1); odd {
			warn(fmt.Sprintf(clockHourly, clock, spanText(seconds)), "write minutes and seconds, mm:ss, each from 00 to 59", key)
		}
	case "daily", "weekly", "monthly":
		if seconds, odd := oddClock(strings.TrimSpace(clock), 0); odd {
			warn(fmt.Sprintf(clockDaily, clock, spanText(seconds)), "write hh:mm:ss, from 00:00:00 to 23:59:59", key)
		}
	case "minutes_interval":
		if minutes, ok := param.AsInt(value); ok && minutes > 60 {
			warn(fmt.Sprintf(intervalLong, minutes), "use hourly>, daily> or cron>", key)
		}
	}
}

// oddClock reads numbers between colons. The first is hours, or minutes if skip is 1. odd reports
// whether one of them is more than a clock shows.
func oddClock(text string, skip int) (seconds int64, odd bool) {
	for i, field := range strings.Split(strings.TrimRight(text, ":"), ":") {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, false
		}
		most := int64(59)
		if i+skip == 0 {
			most = 23
		}
		odd = odd || n < 0 || n > most
		seconds = seconds*60 + n
	}
	return seconds, odd
}

// spanText returns a duration for people.
func spanText(seconds int64) string {
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	return fmt.Sprintf("%s%dh %02dm %02ds", sign, seconds/3600, seconds/60%60, seconds%60)
}

// slaCulprit returns the only key of a block sla that says when, and the key that its author meant. Both are empty if
// there are several such keys, or none.
func slaCulprit(block *param.Map) (key, meant string) {
	count := 0
	for other := range block.All() {
		for _, when := range []string{"time", "duration"} {
			if other == when || len(param.Similar(other, []string{when})) > 0 {
				key, meant = other, when
				count++
			}
		}
	}
	if count != 1 {
		return "", ""
	}
	return key, meant
}

// sla inspects the block sla, which is read when an attempt is made (language S43).
func (in *inspection) sla(w *Workflow) {
	warn := func(message, hint string, keys ...string) {
		in.tell(Finding{
			Place:    in.sources.locate(w.File, append([]string{keySLA}, keys...)),
			Severity: SeverityWarning, Rule: ruleSLA, Message: message, Hint: hint,
		})
	}
	block, err := w.SLABlock()
	if err == nil && block != nil {
		_, err = schedule.ParseSLA(block)
	}
	if err != nil {
		hint := "write `time: HH:MM`, a time of day, or `duration: HH:MM`"
		if key, meant := slaCulprit(block); key != "" {
			if meant != key {
				hint = didYouMean([]string{meant})
			}
			warn(inOwnWords(asError(err).Message), hint, key)
			return
		}
		warn(inOwnWords(asError(err).Message), hint)
		return
	}
	for key, otherwise := range map[string]bool{"alert": true, "fail": false} {
		if value, _ := block.Get(key); value != nil {
			if _, ok := param.AsBool(value); !ok {
				warn(fmt.Sprintf(slaNotBoolean, key, otherwise), "", key)
			}
		}
	}
	if value, _ := block.Get("time"); value != nil {
		if text, _ := param.AsString(value); text != "" {
			if _, odd := oddClock(text, 0); odd && !slices.Contains([]string{"24:00", "24:00:00"}, text) {
				warn(fmt.Sprintf(slaNoClock, text), "write HH:MM, from 00:00 to 24:00", "time")
			}
		}
	}
}
