package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// kind is a form of the text of a setting. The errors of parse say what is allowed.
type kind[T any] struct {
	name  string // in docs/configuration.md
	parse func(text string) (T, error)
}

func aText() kind[string] {
	return kind[string]{"text", func(text string) (string, error) { return text, nil }}
}

func aBoolean() kind[bool] {
	return kind[bool]{"true or false", func(text string) (bool, error) {
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, errors.New("use true or false")
	}}
}

// aChoice returns the kind of settings that are one of some words.
func aChoice(words ...string) kind[string] {
	list := strings.Join(words, ", ")
	return kind[string]{"one of " + list, func(text string) (string, error) {
		for _, word := range words {
			if text == word {
				return word, nil
			}
		}
		return "", errors.New("use one of " + list)
	}}
}

// aNumber returns the kind of settings that are a whole number from low on.
func aNumber(low int) kind[int] { return aNumberUpTo(low, math.MaxInt32) }

func aPort() kind[int] {
	port := aNumberUpTo(0, 65535)
	port.name = "port"
	return port
}

func aNumberUpTo(low, high int) kind[int] {
	return kind[int]{"number", func(text string) (int, error) {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("use a whole number from %d to %d", low, high)
		}
		return n, nil
	}}
}

func aSize() kind[int64] {
	return kind[int64]{"bytes", func(text string) (int64, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 {
			return 0, errors.New("use a number of bytes, as in 2097152")
		}
		return n, nil
	}}
}

// aLimitOfBytes returns the kind of settings that are a size with a unit, or zero for no limit.
func aLimitOfBytes() kind[int64] {
	return kind[int64]{"size", func(text string) (int64, error) {
		n, err := param.ParseSize(text)
		if err != nil {
			return 0, errors.New("use a size, as in 512MiB or 2GiB, or a number of bytes; 0 is no limit")
		}
		return n, nil
	}}
}

// aLimitOfCores returns the kind of settings that are a number of processor cores, or zero for no limit.
func aLimitOfCores() kind[float64] {
	return kind[float64]{"number", func(text string) (float64, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(n == 0 || n >= 0.01 && n <= maxCores) {
			return 0, errors.New("use a number of cores from 0.01 on, as in 1.5; 0 is no limit")
		}
		return n, nil
	}}
}

const maxCores = 1_000_000

// aDuration returns the kind of settings that are a length of time in Digdag's form, with units.
func aDuration() kind[time.Duration] {
	return kind[time.Duration]{"duration", func(text string) (time.Duration, error) {
		d, err := param.ParseDuration(text)
		if err != nil {
			return 0, errors.New("use days, hours, minutes and seconds, as in 1d, 1h 30m or 30s")
		}
		return d, nil
	}}
}

// aDurationOr returns the kind of settings that are a duration, or a word that stands for zero.
func aDurationOr(word string) kind[time.Duration] {
	duration := aDuration()
	return kind[time.Duration]{"duration, or " + word, func(text string) (time.Duration, error) {
		if text == word {
			return 0, nil
		}
		d, err := duration.parse(text)
		if err != nil {
			return 0, fmt.Errorf("%w, or %s", err, word)
		}
		return d, nil
	}}
}

// aTime returns the kind of settings that are a number of units, as in Digdag, or a duration.
func aTime(name string, unit time.Duration) kind[time.Duration] {
	duration := aDuration()
	return kind[time.Duration]{name, func(text string) (time.Duration, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err == nil && n >= 0 && n <= int64(math.MaxInt64/unit) {
			return time.Duration(n) * unit, nil
		}
		d, err := duration.parse(text)
		if err != nil {
			return 0, fmt.Errorf("use a number of %s, or a duration as in 30s", name)
		}
		return d, nil
	}}
}

func aNumberOfSeconds() kind[time.Duration] { return aTime("seconds", time.Second) }
func aNumberOfMillis() kind[time.Duration]  { return aTime("milliseconds", time.Millisecond) }

// aList returns the kind of settings that are texts with commas between them.
func aList() kind[[]string] {
	return kind[[]string]{"list with commas", func(text string) ([]string, error) {
		var items []string
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		return items, nil
	}}
}

// hostForm is a host name, or an IPv4 address, without a port.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// aListOfHosts returns the kind of settings that are host names with commas between them.
func aListOfHosts() kind[[]string] {
	list := aList()
	return kind[[]string]{list.name, func(text string) ([]string, error) {
		hosts, err := list.parse(text)
		for _, host := range hosts {
			if !hostForm.MatchString(host) {
				return nil, fmt.Errorf("%q is no host name: use names without port and path, as in trowel.example.com, with commas between them", host)
			}
		}
		return hosts, err
	}}
}

// anObject returns the kind of settings that are a JSON object.
func anObject() kind[*param.Map] {
	return kind[*param.Map]{"JSON object", func(text string) (*param.Map, error) {
		m, err := param.ParseMap(text)
		if err != nil {
			return nil, fmt.Errorf("use a JSON object, as in {\"key\":\"value\"}: %w", err)
		}
		return m, nil
	}}
}

// versionForm matches a version in the form of server 2.6.1.
var versionForm = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))*(-[a-zA-Z0-9_.-]+)?$`)

func aVersion() kind[string] {
	return kind[string]{"version", func(text string) (string, error) {
		if !versionForm.MatchString(text) {
			return "", errors.New("use numbers with dots between them, as in 0.10.5")
		}
		return text, nil
	}}
}
