package store

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// micros writes an instant; the zero instant is NULL.
func micros(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UnixMicro()
}

func instant(micros sql.NullInt64) time.Time {
	if !micros.Valid {
		return time.Time{}
	}
	return time.UnixMicro(micros.Int64).UTC()
}

// object writes an object as JSON; an empty one is NULL.
func object(m *param.Map) any {
	if m.Len() == 0 {
		return nil
	}
	return param.JSON(m)
}

// objects reads JSON columns; NULL is an empty object.
func readObject(text sql.NullString) (*param.Map, error) {
	if !text.Valid || text.String == "" {
		return param.New(), nil
	}
	m, err := param.ParseMap(text.String)
	if err != nil {
		return nil, fmt.Errorf("read a stored object: %w", err)
	}
	return m, nil
}

func nonEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// lines writes a list of texts without line breaks; none is NULL.
func lines(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return strings.Join(list, "\n")
}

func readLines(text sql.NullString) []string {
	if !text.Valid || text.String == "" {
		return nil
	}
	return strings.Split(text.String, "\n")
}
