package tasklog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	trowel "github.com/trowel-project/trowel"
)

// Limits of names in bytes. The first is the limit of most file systems; those that encrypt names have less.
const (
	nameLimit   = 255
	agentLimit  = 100
	hashedBytes = 8 // of the hash that replaces what is cut off, in hexadecimal
)

// nameLimits are tried in turn if a file system finds a name too long.
func nameLimits() []int { return []int{nameLimit, 143, 120} }

// folderName is the directory of an attempt's logs: date and attempt (server 5.1). The attempt's name is in the
// parameters of its tasks.
func folderName(lease *trowel.Lease, createdAt time.Time, limit int) string {
	s := lease.Context
	zone := lease.Zone
	if zone == nil {
		zone = time.UTC
	}
	attempt := "0." + strconv.FormatInt(int64(s.Project.ID), 10) + s.Workflow.Name + "@" + s.Session.Time.In(zone).Format("20060102T150405-0700")
	if value, ok := lease.Scope.Get("retry_attempt_name"); ok {
		if name, isText := value.(string); isText {
			attempt += "_" + name
		}
	}
	elements := []string{createdAt.UTC().Format(time.DateOnly)}
	for element := range strings.SplitSeq(attempt, "/") {
		elements = append(elements, fitting(element, limit))
	}
	return filepath.Join(elements...)
}

// fileName is the name of a try's log (server 5.1). A task name that makes it longer than the limit is cut and ends with
// a hash (differs from language C13a).
func fileName(lease *trowel.Lease, agentID string, at time.Time, limit int) string {
	agentID = fitting(strings.ReplaceAll(agentID, "/", "_"), agentLimit)
	end := fmt.Sprintf("@%08x%08x.%s"+suffix, at.Unix(), at.Nanosecond(), agentID)
	return fitting(strings.ReplaceAll(lease.FullName, "/", "_"), limit-len(end)) + end
}

// fitting is a name of at most limit bytes. A name that is too long, or means another directory, is cut and ends with a
// hash of the whole name.
func fitting(name string, limit int) string {
	if len(name) <= limit && name != "" && name != "." && name != ".." {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	hash := "~" + hex.EncodeToString(sum[:hashedBytes])
	head := name[:min(len(name), max(limit-len(hash), 0))]
	for head != "" && !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	return head + hash
}

// File describes the log of a try, or a part of it.
type File struct {
	Name      string // within its attempt
	SizeBytes int64  // compressed, of what is stored
	TextBytes int64
	Lines     int64 // line ends in it
	TaskName  string
	OpenedAt  time.Time
	AgentID   string
	URL       string // signed, for downloads that bypass the server; empty if there is none
}

// IsOf reports whether a file name is that of a log of the task with that full name, of any try on any agent.
func IsOf(file, fullName string) bool {
	task := strings.ReplaceAll(fullName, "/", "_")
	for at := range len(file) {
		if file[at] != '@' {
			continue
		}
		if _, ok := parseName(file[at:]); ok && file[:at] == fitting(task, nameLimit-len(file)+at) {
			return true
		}
	}
	return false
}

// suffix ends the names of all logs.
const suffix = ".log.gz"

// instantDigits is the number of digits of an instant in a name: seconds, then nanoseconds.
const instantDigits = 16

// parseName splits a name into its parts (server 5.1). ok is false for other names.
func parseName(name string) (f File, ok bool) {
	task, rest, found := strings.Cut(name, "@")
	rest, hasSuffix := strings.CutSuffix(rest, suffix)
	if !found || !hasSuffix || len(rest) < instantDigits+1 || rest[instantDigits] != '.' {
		return File{}, false
	}
	seconds, errSeconds := strconv.ParseUint(rest[:8], 16, 32)
	nanoseconds, errNanoseconds := strconv.ParseUint(rest[8:instantDigits], 16, 32)
	if errSeconds != nil || errNanoseconds != nil {
		return File{}, false
	}
	at := time.Unix(int64(seconds), int64(nanoseconds)).UTC() //nolint:gosec // 32 bits
	return File{Name: name, TaskName: task, OpenedAt: at, AgentID: rest[instantDigits+1:]}, true
}
