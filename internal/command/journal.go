package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/wait"
)

// Journal is a file with the processes of running commands: the session of each, and the instant at which it began,
// because process ids are reused. All processes also have a mark in their environment, which is written to the file
// before the first one starts. On systems that show environments, it identifies processes that have left their session.
// After this process was killed, EndLeft uses the file to end the processes that are left. It is safe for concurrent
// use.
//
// The file is not synced to the disk, because no process outlives the machine.
type Journal struct {
	file *os.File
	mark string
	log  *slog.Logger

	mu   sync.Mutex
	free []int         // places that are free again
	last int           // number of places in the file
	left []journalLine // commands that left processes behind
	bad  bool          // a write has failed, and that was logged
}

// journalLine is a command's place in the file, and its process.
type journalLine struct{ place, pid int }

// The first line of the file has the boot of the machine and the mark. The other lines have a fixed length, with process
// and beginning, or blanks.
const (
	journalLineBytes = 32
	journalHeadBytes = 128
	// markName is the variable with the marks of all ancestor processes, separated by commas.
	markName = "TROWEL_PROCESS_MARK"
	// recheckLeft is the number of commands with processes left behind from which on these processes are rechecked.
	recheckLeft = 64
)

// OpenJournal creates a new journal.
func OpenJournal(path string, log *slog.Logger) (*Journal, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, mark: newMark(), log: log}
	head := fmt.Sprintf("%-*s\n", journalHeadBytes-1, bootID()+" "+j.mark)
	if _, err := file.WriteString(head); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// Close removes the file. Processes that still run were left behind on purpose.
func (j *Journal) Close() error { return errors.Join(os.Remove(j.file.Name()), j.file.Close()) }

// newMark returns a mark that nothing else has.
func newMark() string { return strings.ToLower(rand.Text()) }

// markVariable is the environment entry with the mark; above is the entry of the parent process.
func markVariable(above, mark string) string {
	if above != "" {
		above += ","
	}
	return markName + "=" + above + mark
}

// begin notes a process that leads a session.
func (j *Journal) begin(pid int) journalLine {
	if j == nil {
		return journalLine{}
	}
	started, err := processStart(pid)
	if err != nil {
		started = 0 // it has ended
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.free) == 0 && len(j.left) >= recheckLeft {
		j.recheck()
	}
	line := journalLine{place: j.last, pid: pid}
	if n := len(j.free); n > 0 {
		line.place, j.free = j.free[n-1], j.free[:n-1]
	} else {
		j.last++
	}
	j.write(line.place, strconv.Itoa(pid)+" "+strconv.FormatInt(started, 10))
	return line
}

// end notes that a command has ended. If it has left processes behind, its line stays.
func (j *Journal) end(line journalLine, left bool) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if left {
		j.left = append(j.left, line)
		return
	}
	j.drop(line)
}

// drop frees a place. The caller holds mu, as for recheck and write.
func (j *Journal) drop(line journalLine) {
	j.write(line.place, "")
	j.free = append(j.free, line.place)
}

// recheck drops commands whose processes have ended meanwhile.
func (j *Journal) recheck() {
	kept := j.left[:0]
	for _, line := range j.left {
		if groupExists(line.pid) {
			kept = append(kept, line)
		} else {
			j.drop(line)
		}
	}
	j.left = kept
}

func (j *Journal) write(place int, text string) {
	var line [journalLineBytes]byte
	n := copy(line[:], text)
	for ; n < journalLineBytes-1; n++ {
		line[n] = ' '
	}
	line[journalLineBytes-1] = '\n'
	_, err := j.file.WriteAt(line[:], journalHeadBytes+int64(place)*journalLineBytes)
	if err != nil && !j.bad {
		j.log.Warn("processes of commands are not noted, so not all may be ended if this process is killed", slog.Any("error", err))
	}
	j.bad = err != nil
}

// leftBehind is the journal of a process that ended without closing it.
type leftBehind struct {
	mark     string
	sessions map[int]int64 // when each began
	killed   map[int]int64 // processes that were killed, and when each began
}

// patience is how long EndLeft waits for killed processes. A process inside a system call ends once the call returns,
// and does nothing else before.
const patience = 10 * time.Second

// EndLeft kills the processes in the journal of a dead process, and removes the file. They are killed at once, like
// processes of a lost lease. The file need not exist. Nothing in it is trusted unless the system confirms it. If ctx ends
// before the processes have, the file stays.
func EndLeft(ctx context.Context, path string, log *slog.Logger) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	left := readJournal(data)
	deadline := time.Now().Add(patience)
	for pause, told := time.Millisecond, false; left != nil; pause = min(2*pause, 100*time.Millisecond) {
		n := left.kill()
		if n == 0 {
			break
		}
		if !told {
			told = true
			log.Warn("processes of tasks that outlived an earlier server or agent are ended", slog.Int("processes", n))
		}
		if time.Now().After(deadline) {
			log.Error("processes of tasks of an earlier server or agent do not end", slog.Int("processes", n))
			break
		}
		if err := wait.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	return os.Remove(path)
}

// readJournal parses a journal; nil if it is incomplete, or from another boot of the machine.
func readJournal(data []byte) *leftBehind {
	if len(data) < journalHeadBytes {
		return nil
	}
	head := bytes.Fields(data[:journalHeadBytes])
	if len(head) != 2 || string(head[0]) != bootID() {
		return nil
	}
	left := &leftBehind{mark: string(head[1]), sessions: map[int]int64{}, killed: map[int]int64{}}
	for line := range bytes.Lines(data[journalHeadBytes:]) {
		fields := strings.Fields(string(line))
		if len(fields) != 2 {
			continue
		}
		pid, errPID := strconv.Atoi(fields[0])
		started, errStart := strconv.ParseInt(fields[1], 10, 64)
		if errPID == nil && errStart == nil && pid > 1 {
			left.sessions[pid] = started
		}
	}
	return left
}
