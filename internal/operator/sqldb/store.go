package sqldb

import (
	"cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of the limits of what is stored (operators 7.1).
const (
	tooManyColumns = "The number of result columns exceeded the limit: %d > %d"
	tooManyRows    = "The number of result rows exceeded the limit: %d > %d"
	tooLongValue   = "The size of result value exceeded the limit: %d > %d"
)

const (
	tooLargeResult = "The result is too large to be stored: it has more than %d bytes as JSON"
	// maxStored bounds a whole result, in bytes of JSON, as values that are objects have no bound. A larger one would be too large for what a task may report.
	maxStored = 16 << 20
)

// store returns the first row of a result as an object, or all as a list of objects.
func store(r rows, all bool, settings Settings) (param.Value, error) {
	names := r.columns()
	if most := cmp.Or(settings.MaxColumns, defaultColumns); len(names) > most {
		return nil, operator.Failuref(tooManyColumns, len(names), most)
	}
	longest, most := cmp.Or(settings.MaxValueSize, defaultValueSize), cmp.Or(settings.MaxRows, defaultRows)
	list, whole := param.List{}, 0
	for {
		more, err := r.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if len(list) == most {
			return nil, operator.Failuref(tooManyRows, len(list)+1, most)
		}
		row := param.Sized(len(names))
		for i, name := range names {
			value := r.value(i)
			if size := longestText(value); size > longest {
				return nil, operator.Failuref(tooLongValue, size, longest)
			}
			row.Set(name, value)
		}
		if whole += len(param.JSON(row)); whole > maxStored {
			return nil, operator.Failuref(tooLargeResult, maxStored)
		}
		list = append(list, row)
		if !all {
			return row, nil
		}
	}
	if all {
		return list, nil
	}
	return param.New(), nil
}

// longestText returns the number of characters of a text, or of the longest one in a list. Objects stand for values that
// Digdag does not measure.
func longestText(value param.Value) (size int) {
	switch value := value.(type) {
	case string:
		for _, c := range value {
			size++
			if c > 0xffff { // two characters in Java
				size++
			}
		}
	case param.List:
		for _, element := range value {
			size = max(size, longestText(element))
		}
	}
	return size
}
