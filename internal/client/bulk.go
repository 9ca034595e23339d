package client

import "fmt"

// Limits of the entries in an answer, far beyond what a server lists. An entry of a few bytes, such as {} or null, takes
// as much memory as any other, and even less space when it is sent compressed.
const (
	maxListed  = 1 << 20 // in lists at the top of a document, such as its tasks
	maxEntries = 8 << 20 // in all lists together, also those in parameters
	maxDepth   = 10_000  // of lists and objects, the limit of encoding/json
)

// checkBulk refuses a JSON document whose lists take far more memory than its text. It ignores other texts.
func checkBulk(data []byte) error {
	if len(data) < 2*maxListed { // an entry has at least two bytes
		return nil
	}
	var inList []bool // for each open { and [, whether it is a list
	listed, entries := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if len(inList) == maxDepth {
				return nil // encoding/json reports it
			}
			inList = append(inList, data[i] == '[')
		case '}', ']':
			inList = inList[:max(len(inList)-1, 0)]
		case ',':
			if n := len(inList); n > 0 && inList[n-1] {
				entries++
				if n <= 2 {
					listed++
				}
			}
		}
		if listed >= maxListed || entries >= maxEntries {
			return fmt.Errorf("it lists more than %d things, or %d in all", maxListed, maxEntries)
		}
	}
	return nil
}
