package accesslog

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// part is a part of a line: a text, and perhaps a value after it.
type part struct {
	text  string                       // before the value
	value func(a Entry) (string, bool) // nil for a text alone; false if the request has none
	json  bool                         // the value is written as JSON, or as null if there is none
}

// Patterns with a name (server 3.5).
const (
	patternCommon   = `%h - - [%{time,02/Jan/2006:15:04:05 -0700}] "%m %U %H" %s %B`
	patternCombined = patternCommon + ` "%{i,Referer}" "%{i,User-Agent}"`
	patternJSON     = `json{time:%{time} host:%h forwardedfor:%{i,X-Forwarded-For} method:%m uri:%U protocol:%H status:%s size:%B ` +
		`referer:%{i,Referer} ua:%{i,User-Agent} vhost:%{i,Host} reqtime:%T}`
)

// attribute is a placeholder: % and a letter, or a name and an argument in braces.
var attribute = regexp.MustCompile(`%(?:([a-zA-Z])|\{([a-z]+)(?:,([^}]*))?\})`)

func parsePattern(pattern string) ([]part, error) {
	switch pattern {
	case "json":
		pattern = patternJSON
	case "common":
		pattern = patternCommon
	case "combined":
		pattern = patternCombined
	}
	if inner, ok := strings.CutPrefix(pattern, "json{"); ok {
		return parseJSON(strings.TrimSuffix(inner, "}"))
	}
	return parseText(pattern)
}

// parseJSON reads "key:%x key2:%y".
func parseJSON(text string) ([]part, error) {
	var parts []part
	for fragment := range strings.FieldsSeq(text) {
		key, place, found := strings.Cut(fragment, ":")
		value, err := parseAttribute(place)
		if !found || err != nil {
			return nil, wrongPattern("JSON access log pattern includes an invalid fragment: " + fragment)
		}
		quoted, _ := json.Marshal(key) //nolint:errchkjson // a text
		before := ","
		if len(parts) == 0 {
			before = "{"
		}
		parts = append(parts, part{text: before + string(quoted) + ":", value: value, json: true})
	}
	if len(parts) == 0 {
		return nil, wrongPattern("JSON access log pattern has no keys: json{}")
	}
	return append(parts, part{text: "}"}), nil
}

func parseText(pattern string) ([]part, error) {
	var parts []part
	at := 0
	for _, place := range attribute.FindAllStringIndex(pattern, -1) {
		value, err := parseAttribute(pattern[place[0]:place[1]])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{text: pattern[at:place[0]], value: value})
		at = place[1]
	}
	return append(parts, part{text: pattern[at:]}), nil
}

func unknownAttribute(text string) error {
	return wrongPattern("unknown attribute in the access log's pattern: " + text)
}

func wrongPattern(message string) error {
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: message, Where: "server.access-log.pattern",
		Hint: "use json, common, combined, or attributes such as %h %m %U %s %B %T %{i,Header} %{time,format}",
	}
}

// parseAttribute returns the value of a placeholder.
func parseAttribute(text string) (func(a Entry) (string, bool), error) {
	match := attribute.FindStringSubmatch(text)
	if match == nil || match[0] != text {
		return nil, unknownAttribute(text)
	}
	argument := match[3]
	values := map[string]func(a Entry) (string, bool){
		"h": func(a Entry) (string, bool) { return a.Host, true },
		"m": func(a Entry) (string, bool) { return a.Method, true },
		"U": func(a Entry) (string, bool) { return a.URI, true },
		"H": func(a Entry) (string, bool) { return a.Protocol, true },
		"s": func(a Entry) (string, bool) { return strconv.Itoa(a.Status), true },
		"B": func(a Entry) (string, bool) { return strconv.FormatInt(a.SizeBytes, 10), true },
		"T": func(a Entry) (string, bool) { return seconds(a.Took), true },
		"q": func(a Entry) (string, bool) {
			_, query, found := strings.Cut(a.URI, "?")
			return "?" + query, found
		},
		"i": func(a Entry) (string, bool) {
			if strings.EqualFold(argument, "Host") {
				return a.VHost, a.VHost != ""
			}
			value := a.Header.Get(argument)
			return value, value != ""
		},
		"time": func(a Entry) (string, bool) {
			if argument == "" {
				return formatTime(a.At), true
			}
			return a.At.Format(argument), true
		},
	}
	value := values[match[1]+match[2]]
	if value == nil {
		return nil, unknownAttribute(text)
	}
	return value, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// formatEntry writes the line of a request. Outside of JSON it escapes what could end a line or a quotation,
// since callers may send anything.
func formatEntry(parts []part, a Entry) string {
	var line strings.Builder
	for _, part := range parts {
		line.WriteString(part.text)
		if part.value == nil {
			continue
		}
		value, given := part.value(a)
		switch {
		case part.json && !given:
			line.WriteString("null")
		case part.json:
			quoted, _ := json.Marshal(value) //nolint:errchkjson // a text
			line.Write(quoted)
		case !given:
			line.WriteString("-")
		default:
			quoted := strconv.Quote(value)
			line.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return line.String()
}

// formatTime is how the pattern json writes times.
func formatTime(at time.Time) string { return at.Format("2006-01-02T15:04:05.000-0700") }
