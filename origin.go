package trowel

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Origin says where the body of a task is written. It also says where those bodies inside are written that become
// tasks later, such as those of _do and _error.
type Origin struct {
	// Place is file:line:column. Empty if it is not known.
	Place string

	// Bodies has an entry for each body inside, by its key. The entry is the place as a text, or an object with the
	// place under "@" beside the entries of its own bodies. A place in the same file is line:column. Nil for none.
	Bodies *param.Map
}

// originPlace is the key of the place in an object of an Origin.
const originPlace = "@"

// ParseOrigin reads what Text wrote. Any other text is taken as a Place.
func ParseOrigin(text string) Origin {
	if !strings.HasPrefix(text, "{") {
		return Origin{Place: text}
	}
	object, err := param.ParseMap(text)
	if err != nil {
		return Origin{Place: text} // the file's name begins with a brace
	}
	origin := Origin{}.read(object)
	origin.Bodies.Delete(originPlace)
	return origin
}

// Text returns the form that is stored: the place, or JSON if there are bodies.
func (o Origin) Text() string {
	if o.Bodies.Len() == 0 {
		return o.Place
	}
	return param.JSON(o.object())
}

func (o Origin) object() *param.Map {
	object := param.Sized(1 + o.Bodies.Len())
	object.Set(originPlace, o.Place)
	for key, body := range o.Bodies.All() {
		if key != originPlace {
			object.Set(key, body)
		}
	}
	return object
}

// Inside returns the origin of a body inside, by its key.
func (o Origin) Inside(key string) (Origin, bool) {
	body, ok := o.Bodies.Get(key)
	if !ok || key == originPlace {
		return Origin{}, false
	}
	return o.read(body), true
}

// read reads the entry of a body inside o.
func (o Origin) read(body param.Value) Origin {
	var inner Origin
	switch body := body.(type) {
	case string:
		inner.Place = body
	case *param.Map:
		place, _ := body.Get(originPlace)
		inner.Place, _ = place.(string)
		inner.Bodies = body
	}
	if strings.Count(inner.Place, ":") == 1 { // in the same file
		inner.Place = o.file() + ":" + inner.Place
	}
	return inner
}

// file returns the file of the place.
func (o Origin) file() string {
	file := o.Place
	for range 2 {
		file = file[:max(strings.LastIndexByte(file, ':'), 0)]
	}
	return file
}

// Of returns the origin of the tasks that are made from the body under a key. It looks for the key in the task and
// then in its _export. If neither has it, the origin is that of the task itself, without bodies.
func (o Origin) Of(key string) Origin {
	if inner, ok := o.Inside(key); ok {
		return inner
	}
	if export, ok := o.Inside("_export"); ok {
		if inner, ok := export.Inside(key); ok {
			return inner
		}
	}
	return Origin{Place: o.Place}
}

// Keep returns the origin with only those bodies whose keys are listed and wanted.
func (o Origin) Keep(keys []string, wanted func(key string) bool) Origin {
	kept := Origin{Place: o.Place}
	if o.Bodies == nil {
		return kept
	}
	for _, key := range keys {
		if body, ok := o.Bodies.Get(key); ok && wanted(key) {
			if kept.Bodies == nil {
				kept.Bodies = param.New()
			}
			kept.Bodies.Set(key, body)
		}
	}
	return kept
}
