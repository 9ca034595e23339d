package flush

import (
	"reflect"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// A change of any field of an attempt has its row written, also of one that is added to the type later. The version alone is
// written apart.
func TestAnyChangedFieldIsWritten(t *testing.T) {
	t.Parallel()
	row := trowel.Attempt{ID: 1, Version: 1}
	for i := range reflect.TypeFor[trowel.Attempt]().NumField() {
		field := reflect.TypeFor[trowel.Attempt]().Field(i)
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			img, err := engine.NewTaskTree(row, &trowel.AttemptContext{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			known := newCache()
			a := known.entry(row.ID)
			known.put(a, img)
			if a.rowChanged() {
				t.Fatal("an attempt as it was read is to be written")
			}
			change(t, reflect.ValueOf(&a.tree.Attempt).Elem().Field(i))
			if got, want := a.rowChanged(), field.Name != "Version"; got != want {
				t.Errorf("after a change of %s the row is to be written: %v, want %v", field.Name, got, want)
			}
		})
	}
}

// An attempt that changes without any of its tasks is written, too.
func TestAttemptAloneIsWritten(t *testing.T) {
	t.Parallel()
	row := trowel.Attempt{ID: 1, Version: 1}
	img, err := engine.NewTaskTree(row, &trowel.AttemptContext{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := newCache()
	a := known.entry(row.ID)
	known.put(a, img)
	tx := newTxn(nil, time.Time{}, nil, false, txnParts{cache: known, spare: &spare{}})
	tx.add(a, &engine.Applied{}, "")
	if len(tx.changes.touched) != 0 {
		t.Error("an attempt in which nothing has changed is to be written")
	}
	a.tree.Attempt.Actor = "another"
	tx.add(a, &engine.Applied{}, "")
	if len(tx.changes.touched) != 1 {
		t.Error("an attempt that has changed without its tasks is not to be written")
	}
}

// change sets a field to another value.
func change(t *testing.T, field reflect.Value) {
	t.Helper()
	switch value := field.Interface().(type) {
	case time.Time:
		field.Set(reflect.ValueOf(value.Add(time.Hour)))
	case *param.Map:
		field.Set(reflect.ValueOf(param.New()))
	default:
		switch {
		case field.CanInt():
			field.SetInt(field.Int() + 1)
		case field.CanUint():
			field.SetUint(field.Uint() + 1)
		case field.Kind() == reflect.String:
			field.SetString(field.String() + "x")
		case field.Kind() == reflect.Bool:
			field.SetBool(!field.Bool())
		default:
			t.Fatalf("no other value is known for a %s", field.Type())
		}
	}
}
