package schedule

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Zone is a time zone with the name that users see.
type Zone struct {
	// ID is the normalised name: a region of the time zone database, "Z", an offset such as +09:00 or
	// +09:00:30, or a prefix UTC, GMT or UT with or without such an offset (language L43).
	ID string
	// Location has the rules of the zone; it is never nil in a Zone that this package returned.
	Location *time.Location
}

// UTC returns the zone of a workflow that names none.
func UTC() Zone { return Zone{ID: "UTC", Location: time.UTC} }

// ZoneOf reads the value of a timezone key. Null counts as absent, which means UTC. A value that is not a zone
// is refused with Digdag's message, as a *param.Error (language L44).
func ZoneOf(value param.Value) (Zone, error) {
	if value == nil {
		return UTC(), nil
	}
	text, ok := param.AsString(value)
	if !ok {
		return Zone{}, wrongZone(value)
	}
	zone, err := ParseZone(text)
	if err != nil {
		return Zone{}, wrongZone(value)
	}
	return zone, nil
}

func wrongZone(value param.Value) error {
	return param.WrongType("timezone", param.OptionalType("java.time.ZoneId"), value)
}

// ParseZone reads the name of a time zone: a region (case matters), Z, an offset of up to 18 hours, or
// UTC, GMT or UT with or without an offset. Space around it is ignored, and an empty name means
// UTC (language L43). It loads the rules of a region at each call, so keep the Zone.
func ParseZone(text string) (Zone, error) {
	name := trim(text)
	switch {
	case name == "":
		return UTC(), nil
	case len(name) == 1 || name[0] == '+' || name[0] == '-':
		offset, ok := parseOffset(name)
		if !ok {
			return Zone{}, unknownZone(name)
		}
		return fixedZone("", offset), nil
	}
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		rest, found := strings.CutPrefix(name, prefix)
		switch {
		case !found:
			continue
		case rest == "":
			return fixedZone(prefix, 0), nil
		case rest[0] != '+' && rest[0] != '-':
			return region(name) // GMT0 is a region
		}
		offset, ok := parseOffset(rest)
		if !ok {
			return Zone{}, unknownZone(name)
		}
		return fixedZone(prefix, offset), nil
	}
	return region(name)
}

// trim removes what Java's String.trim removes: all characters up to the space.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

func region(name string) (Zone, error) {
	listed := listedRegion(name)
	if !listed && !newerRegion(name) {
		return Zone{}, unknownZone(name)
	}
	location, err := time.LoadLocation(name)
	switch {
	case err == nil:
		return Zone{ID: name, Location: location}, nil
	case listed: // there is no time zone database
		return Zone{}, fmt.Errorf("read time zone %q: %w", name, err)
	default:
		return Zone{}, unknownZone(name)
	}
}

func listedRegion(name string) bool {
	return !strings.Contains(name, " ") && strings.Contains(zoneNames, " "+name+" ")
}

// newerRegion reports whether a name may be a region that is newer than zoneNames: it has the area of
// a listed one and is not just spelled differently. Then the installed database decides.
func newerRegion(name string) bool {
	area, city, found := strings.Cut(name, "/")
	if !found || city == "" || path.Clean(name) != name || strings.ContainsFunc(name, notOfRegion) {
		return false
	}
	return strings.Contains(zoneNames, " "+area+"/") && listedSpelling(name) == ""
}

// notOfRegion reports whether no name of a region has this character.
func notOfRegion(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("/_-+", r)
}

// listedSpelling returns the listed region that differs from name only in case, or "".
func listedSpelling(name string) string {
	if strings.Contains(name, " ") {
		return ""
	}
	lower := strings.ToLower(name)
	at := strings.Index(strings.ToLower(zoneNames), " "+lower+" ")
	if at < 0 {
		return ""
	}
	return zoneNames[at+1 : at+1+len(lower)]
}

func unknownZone(name string) error {
	if listed := listedSpelling(name); listed != "" && listed != name {
		return fmt.Errorf("unknown time zone %q: did you mean %s?", name, listed)
	}
	return fmt.Errorf("unknown time zone %q: use a region such as Asia/Tokyo or an offset such as +09:00", name)
}
