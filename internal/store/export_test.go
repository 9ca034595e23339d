package store

// BulkTexts returns the texts of a bulk statement: for one row on SQLite and on PostgreSQL, and for
// many rows on PostgreSQL.
func BulkTexts(table, columns, keys, unique string) (sqlite, postgres, arrays string) {
	b := bulk{table: table, columns: columns, keys: keys, unique: unique}
	return b.single(true), b.single(false), b.arrays()
}

// ManyTexts returns the statements that have places for ids.
func ManyTexts() []string {
	return []string{
		lockVersions(1), selectExisting(3), lockVersions(3), selectAttempts(3), nameTasks(3), listLive(3), findRunning(3), lockUses(3), deleteUses(3), renewLeases(3, ""), renewLeases(3, " "), holdAgents(3), findTasks(3),
	}
}
