package schedule

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// SimilarZones returns up to three regions that a mistyped name may mean: those with almost the same spelling,
// those that people mean by an abbreviation, or those of a city.
func SimilarZones(name string) []string {
	const most = 3
	name = strings.ReplaceAll(trim(name), " ", "_")
	if listed := listedSpelling(name); listed != "" {
		return []string{listed}
	}
	if zone := zoneOfAbbreviation(strings.ToUpper(name)); zone != "" {
		return []string{zone}
	}
	names := strings.Fields(zoneNames)
	near := param.Similar(name, names)
	if len(near) > 0 || len(name) < most {
		return near[:min(len(near), most)]
	}
	for _, zone := range names {
		city := zone[strings.LastIndexByte(zone, '/')+1:]
		if strings.EqualFold(city, name) || len(param.Similar(name, []string{city})) > 0 {
			near = append(near, zone)
		}
	}
	return near[:min(len(near), most)]
}

// zoneOfAbbreviation returns the region that most people mean by an abbreviation that is not the name of a zone, or
// "" for none.
func zoneOfAbbreviation(name string) string {
	switch name {
	case "JST":
		return "Asia/Tokyo"
	case "IST":
		return "Asia/Kolkata"
	case "EST", "EDT":
		return "America/New_York"
	case "CST", "CDT":
		return "America/Chicago"
	case "MST", "MDT":
		return "America/Denver"
	case "PST", "PDT":
		return "America/Los_Angeles"
	case "BST":
		return "Europe/London"
	case "CEST":
		return "Europe/Berlin"
	}
	return ""
}
