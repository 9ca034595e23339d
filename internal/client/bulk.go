package client

import "fmt"

// Entries that are read of an answer, far beyond what a server lists. Some bytes of a document, as {} or null, are an entry
// as large as any, and much smaller still when they are sent compressed.
const (
	maxListed  = 1 << 20 // of the lists of a document itself, as its tasks
	maxEntries = 8 << 20 // of all lists in it, those in parameters too
	maxDepth   = 10_000  // of lists and objects in each other, as encoding/json reads it
)

// checkBulk refuses a JSON document whose lists take far more memory than its text. What is no JSON it leaves to others.
func checkBulk(data []byte) error {
	if len(data) < 2*maxListed { // an entry has two bytes at least
		return nil
	}
	var inList []bool // for each { and [ that is open: is it a list?
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
				return nil // encoding/json says so
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
