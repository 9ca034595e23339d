package operator_test

import (
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 1.5.
func TestReadTimestamp(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("", 9*3600)
	for value, want := range map[param.Value]int64{
		int64(1704067200):           1704067200,
		"1704067200":                1704067200,
		"2024-01-01T00:00:00Z":      1704067200,
		"2024-01-01T01:00:00+01:00": 1704067200,
		"2024-01-01T09:00:00":       1704067200,
		"2024-01-01T09:00":          1704067200,
	} {
		got, err := operator.ReadTimestamp(param.NewReader(param.Of("from", value)), "from", tokyo)
		if err != nil || got.Unix() != want {
			t.Errorf("ReadTimestamp(%v) = %v, %v, want %d", value, got, err, want)
		}
	}
	for _, value := range []param.Value{nil, "", "2024-01-01", "yesterday", true, 1.5, "99999999999999999999"} {
		if got, err := operator.ReadTimestamp(param.NewReader(param.Of("from", value)), "from", tokyo); err == nil {
			t.Errorf("ReadTimestamp(%v) = %v, want an error", value, got)
		}
	}
	if _, err := operator.ReadTimestamp(param.NewReader(param.New()), "from", tokyo); err == nil || err.Error() != "Parameter 'from' is required but not set" {
		t.Errorf("error = %v", err)
	}
}
