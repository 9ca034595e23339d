package store

// BulkText returns the text of a bulk statement.
func BulkText(table, columns, keys string, rows int, unnumbered bool) string {
	b := bulk{table: table, columns: columns, keys: keys}
	return b.text(rows, unnumbered)
}

// LockTexts returns the statements that lock attempts.
func LockTexts() []string { return []string{lockAttempts(1), lockAttempts(3)} }
