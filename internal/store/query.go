package store

import (
	"strconv"
	"strings"
)

// selection builds a SELECT whose conditions vary. Values are always parameters.
type selection struct {
	conditions []string
	args       []any
}

// and adds a condition. Each ? in it stands for the next value.
func (s *selection) and(condition string, values ...any) {
	var text strings.Builder
	for _, value := range values {
		before, after, _ := strings.Cut(condition, "?")
		text.WriteString(before)
		text.WriteString(s.place(value))
		condition = after
	}
	text.WriteString(condition)
	s.conditions = append(s.conditions, text.String())
}

func (s *selection) place(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

// text returns the whole statement. A negative limit means no limit.
func (s *selection) text(columns, order string, limit int) string {
	text := columns
	if len(s.conditions) > 0 {
		text += " WHERE " + strings.Join(s.conditions, " AND ")
	}
	text += " ORDER BY " + order
	if limit >= 0 {
		text += " LIMIT " + s.place(limit)
	}
	return text
}

// contains returns the condition that a column has a part. It is the same in all databases, while LIKE
// ignores case in one of them.
func contains(column string) string { return "replace(" + column + ", ?, '') <> " + column }
