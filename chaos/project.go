package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
)

// How attempts end that nobody kills.
const (
	endSuccess = "success"
	endError   = "error"
)

// workflow is one workflow of the load. Tasks whose name has "+lines" print numbered lines (lines.sh).
type workflow struct {
	name string
	end  string // how it ends
	text string
}

// workflows returns the workflows of each pushed project. marks is a parameter, a folder where tasks leave a file when they
// run for the first time. fix makes a resumed attempt succeed.
func workflows() []workflow {
	first := `test -e "${marks}/${session_uuid}" || { touch "${marks}/${session_uuid}"; exit 1; }`
	return []workflow{
		{"chain", endSuccess, "+lines: {sh>: sh lines.sh 30}\n+say: {echo>: '${session_time}'}\n" +
			"+lines_slow: {sh>: sh lines.sh 40 0.5}\n+done: {sh>: 'exit 0'}\n"},
		{"parallel", endSuccess, "+all:\n  _parallel: true\n  +lines_1: {sh>: sh lines.sh 30}\n  +two: {echo>: two}\n" +
			"  +lines_3: {sh>: sh lines.sh 20 0.2}\n  +four: {sh>: sleep 0.3}\n  +five: {echo>: five}\n+after: {echo>: after}\n"},
		{"flaky", endSuccess, "+lines_flaky:\n  _retry: {limit: 3, interval: 1}\n  sh>: |\n    " + first + "\n    sh lines.sh 30\n+after: {echo>: after}\n"},
		{"fails", endError, "_error:\n  +lines_error: {sh>: sh lines.sh 20}\n+a: {echo>: a}\n+b: {sh>: exit 3}\n+never: {echo>: never}\n"},
		{"loop", endSuccess, "+loop:\n  loop>: 4\n  _parallel: true\n  _do:\n    +lines: {sh>: 'sh lines.sh 1${i}'}\n+after: {echo>: after}\n"},
		{"each", endSuccess, "+each:\n  for_each>: {fruit: [apple, orange], size: [1, 2]}\n  _do:\n    +lines_each: {sh>: sh lines.sh 12}\n" +
			"    +say: {echo>: '${fruit} ${size}'}\n"},
		{"needs", endSuccess, "+needs:\n  require>: chain\n+after: {echo>: after}\n"},
		{"group", endSuccess, "+group:\n  _retry: 2\n  +first: {echo>: first}\n  +lines_second:\n    sh>: |\n      " + first +
			"\n      sh lines.sh 25\n+after: {echo>: after}\n"},
		{"resumable", endError, "+lines_first: {sh>: sh lines.sh 20}\n+middle: {sh>: 'test \"${fix}\" = yes'}\n+lines_last: {sh>: sh lines.sh 20}\n"},
		{"secret", endSuccess, "+use:\n  _env: {TOKEN: '${secret:token}'}\n  sh>: test -n \"$TOKEN\"\n"},
		{"long", endSuccess, "+say: {echo>: long}\n+sleep: {sh>: exec sleep 15}\n+after: {echo>: after}\n"},
	}
}

// tick returns a workflow with a schedule: a session for each minute.
func tick() workflow {
	return workflow{"tick", endSuccess, "timezone: UTC\nschedule:\n  minutes_interval>: 1\n+lines_tick: {sh>: sh lines.sh 15}\n+say: {echo>: '${session_time}'}\n"}
}

// lines is a program that prints numbered lines, with a pause after the tenth.
const lines = `i=0
while [ $i -lt "$1" ]; do
  i=$((i+1))
  echo "line $i of $1"
  if [ $i -eq 10 ] && [ -n "$2" ]; then sleep "$2"; fi
done
`

// pack makes the archive of a project. number makes archives differ.
func pack(number int, list []workflow) ([]byte, error) {
	files := map[string]string{"lines.sh": lines, "kill.sh": deadlyScript, "number.txt": fmt.Sprintln(number)}
	for _, w := range list {
		files[w.name+".dig"] = w.text
	}
	return zipped(files)
}

// packLarge makes the archive of a project of a megabyte.
func packLarge() ([]byte, error) {
	noise := make([]byte, 1<<20)
	rand.Read(noise) // never fails
	return zipped(map[string]string{"noise": string(noise), "main.dig": "+a: {echo>: a}\n"})
}

func zipped(files map[string]string) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return nil, err
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
