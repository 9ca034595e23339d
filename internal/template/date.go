package template

import (
	"math"
	"time"

	"github.com/dop251/goja"
)

// dateMethods are the methods of the interpreter's dates that the replacements use.
type dateMethods struct {
	construct goja.Constructor
	setTime   goja.Callable
}

// guardDate replaces everything in Date that depends on the local zone. For the interpreter that is the zone
// of the process; here it must be the workflow's (language T22, T22a).
func (env *environment) guardDate() {
	date, ok := env.rt.Get("Date").(*goja.Object)
	if !ok {
		return
	}
	prototype, ok := date.Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	construct, ok := goja.AssertConstructor(date)
	if !ok {
		return
	}
	env.dates = dateMethods{construct: construct, setTime: original(prototype, "setTime")}
	constructor := env.constructor("Date", 7, prototype, env.newDate)
	for _, name := range []string{"UTC", "now"} {
		define(constructor, name, date.Get(name), goja.FLAG_FALSE)
	}
	env.method(constructor, "parse", 1, func(c goja.FunctionCall) goja.Value {
		return env.rt.ToValue(env.parseDate(c.Argument(0).ToString().String()))
	})
	env.dateGetters(prototype)
	env.dateSetters(prototype)
	env.dateTexts(prototype)
	env.global("Date", constructor)
}

// newDate implements new Date(...), and Date(...), which returns the present time as a text.
func (env *environment) newDate(newTarget *goja.Object, args []goja.Value) goja.Value {
	if newTarget == nil {
		return env.rt.ToValue(dateText(env.zone, float64(time.Now().UnixMilli()), formDateTime))
	}
	var t float64
	switch len(args) {
	case 0:
		t = float64(time.Now().UnixMilli())
	case 1:
		t = env.dateOf(args[0])
	default:
		t = toInstant(env.zone, env.components(args).time())
	}
	object, err := env.dates.construct(newTarget, env.rt.ToValue(clip(t)))
	if err != nil {
		throw(err)
	}
	return object
}

// dateOf converts the single argument of new Date: a date, a text to parse, or a number.
func (env *environment) dateOf(v goja.Value) float64 {
	if object, ok := v.(*goja.Object); ok {
		if t, ok := instantOf(object); ok {
			return t
		}
		v = env.primitive(object)
	}
	if goja.IsString(v) {
		return env.parseDate(v.String())
	}
	return v.ToFloat()
}

// primitive converts an object to a primitive value, which is a text only if the object prefers that.
func (env *environment) primitive(object *goja.Object) goja.Value {
	for _, name := range []string{"valueOf", "toString"} {
		method, ok := goja.AssertFunction(object.Get(name))
		if !ok {
			continue
		}
		v := callJS(method, object)
		if _, still := v.(*goja.Object); !still {
			return v
		}
	}
	env.throwType("Cannot convert object to primitive value")
	return nil
}

// components reads year, month and so on. Years from 0 to 99 are in the 20th century.
func (env *environment) components(args []goja.Value) fields {
	parts := [7]float64{2: 1}
	for i := range min(len(args), len(parts)) {
		parts[i] = args[i].ToFloat()
	}
	f := fields{
		year: parts[0], month: parts[1], day: parts[2],
		hours: parts[3], minutes: parts[4], seconds: parts[5], milliseconds: parts[6],
	}
	f.year = century(f.year)
	return f
}

func century(year float64) float64 {
	if y := math.Trunc(year); y >= 0 && y <= 99 {
		return 1900 + y
	}
	return year
}

// instantOf returns the instant of a date. ok is false if the object is not a date.
func instantOf(object *goja.Object) (t float64, ok bool) {
	if object.ClassName() != "Date" {
		return 0, false
	}
	if at, ok := object.Export().(time.Time); ok {
		return float64(at.UnixMilli()), true
	}
	return math.NaN(), true
}

// thisDate returns the instant of the date whose method was called.
func (env *environment) thisDate(c goja.FunctionCall) float64 {
	object, ok := c.This.(*goja.Object)
	if ok {
		if t, ok := instantOf(object); ok {
			return t
		}
	}
	env.throwType("this is not a Date object.")
	return 0
}

// dateGetters replaces the methods that read fields of the local time.
func (env *environment) dateGetters(prototype *goja.Object) {
	getter := func(name string, field func(local float64) float64) {
		env.method(prototype, name, 0, func(c goja.FunctionCall) goja.Value {
			t := env.thisDate(c)
			if math.IsNaN(t) {
				return goja.NaN()
			}
			return env.rt.ToValue(field(toLocal(env.zone, t)))
		})
	}
	getter("getFullYear", func(t float64) float64 { return split(t).year })
	getter("getYear", func(t float64) float64 { return split(t).year - 1900 })
	getter("getMonth", func(t float64) float64 { return split(t).month })
	getter("getDate", func(t float64) float64 { return split(t).day })
	getter("getDay", weekday)
	getter("getHours", func(t float64) float64 { return split(t).hours })
	getter("getMinutes", func(t float64) float64 { return split(t).minutes })
	getter("getSeconds", func(t float64) float64 { return split(t).seconds })
	getter("getMilliseconds", func(t float64) float64 { return split(t).milliseconds })
	env.method(prototype, "getTimezoneOffset", 0, func(c goja.FunctionCall) goja.Value {
		t := env.thisDate(c)
		if math.IsNaN(t) {
			return goja.NaN()
		}
		return env.rt.ToValue((t - toLocal(env.zone, t)) / msPerMinute)
	})
}

// dateSetters replaces the methods that set fields of the local time. Each takes the field of its
// name and, as optional arguments, the smaller ones.
func (env *environment) dateSetters(prototype *goja.Object) {
	setter := func(name string, order ...func(*fields) *float64) {
		env.method(prototype, name, len(order), func(c goja.FunctionCall) goja.Value {
			return env.setFields(c, name == "setFullYear", order)
		})
	}
	year := func(f *fields) *float64 { return &f.year }
	month := func(f *fields) *float64 { return &f.month }
	day := func(f *fields) *float64 { return &f.day }
	hours := func(f *fields) *float64 { return &f.hours }
	minutes := func(f *fields) *float64 { return &f.minutes }
	seconds := func(f *fields) *float64 { return &f.seconds }
	milliseconds := func(f *fields) *float64 { return &f.milliseconds }
	setter("setFullYear", year, month, day)
	setter("setMonth", month, day)
	setter("setDate", day)
	setter("setHours", hours, minutes, seconds, milliseconds)
	setter("setMinutes", minutes, seconds, milliseconds)
	setter("setSeconds", seconds, milliseconds)
	setter("setMilliseconds", milliseconds)
	env.method(prototype, "setYear", 1, func(c goja.FunctionCall) goja.Value {
		c.Arguments = []goja.Value{env.rt.ToValue(century(c.Argument(0).ToFloat()))}
		return env.setFields(c, true, []func(*fields) *float64{year})
	})
}

// setFields sets fields of the local time from the arguments. Only setting a year makes an invalid date valid.
func (env *environment) setFields(c goja.FunctionCall, isYear bool, order []func(*fields) *float64) goja.Value {
	local := toLocal(env.zone, env.thisDate(c))
	if len(c.Arguments) == 0 {
		c.Arguments = []goja.Value{goja.NaN()}
	}
	values := make([]float64, min(len(order), len(c.Arguments)))
	for i := range values {
		values[i] = c.Arguments[i].ToFloat()
	}
	if math.IsNaN(local) {
		if !isYear {
			return goja.NaN()
		}
		local = 0
	}
	f := split(local)
	for i, value := range values {
		*order[i](&f) = value
	}
	return callJS(env.dates.setTime, c.This, env.rt.ToValue(clip(toInstant(env.zone, f.time()))))
}
