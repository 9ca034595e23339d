package trowel

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Origin says where the body of a task is written, and where the bodies in it are that tasks are made of
// later: those of _do, _error and the like.
type Origin struct {
	Place string // file:line:column; empty if it is not known
	// Bodies has, by its key, what is known of each body inside: its place as a text, or an object with the
	// place under "@" and its own bodies beside it. A place in the same file has no file. Nil for none.
	Bodies *param.Map
}

// originPlace is the key of the place in an object of an Origin.
const originPlace = "@"

// ParseOrigin reads what Text wrote. What it did not write has no place.
func ParseOrigin(text string) Origin {
	if !strings.HasPrefix(text, "{") {
		return Origin{Place: text}
	}
	object, err := param.ParseMap(text)
	if err != nil {
		return Origin{Place: text} // of a file whose name begins so
	}
	origin := Origin{}.read(object)
	origin.Bodies.Delete(originPlace)
	return origin
}

// Text is the form that is stored: the place, or JSON where there are bodies.
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

// read reads a body: of this one, if there is one.
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

// file is the file of the place.
func (o Origin) file() string {
	file := o.Place
	for range 2 {
		file = file[:max(strings.LastIndexByte(file, ':'), 0)]
	}
	return file
}

// Of returns the origin of what is made of a body of the task: by its key, where the task or its _export
// has it, else that of the task itself, without bodies.
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

// Keep leaves out all bodies but those of some keys that are wanted.
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
