package tdtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// schema answers what is about databases and tables. A database is there as long as it has tables.
func (s *Service) schema(w http.ResponseWriter, parts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch strings.Join(parts[1:3], " ") {
	case "table list":
		_ = json.NewEncoder(w).Encode(map[string]any{"tables": s.named(parts[3] + ".")})
	case "table create":
		name := parts[3] + "." + parts[4]
		if s.tables[name] {
			refuse(w, http.StatusConflict, "exists")
		}
		s.tables[name] = true
	case "table delete":
		name := parts[3] + "." + parts[4]
		if !s.tables[name] {
			refuse(w, http.StatusNotFound, "not found")
		}
		delete(s.tables, name)
	case "table rename":
		delete(s.tables, parts[3]+"."+parts[4])
		s.tables[parts[3]+"."+parts[5]] = true
	case "database list":
		_ = json.NewEncoder(w).Encode(map[string]any{"databases": s.named("")})
	case "database create":
		s.tables[parts[3]] = true
	case "database delete":
		delete(s.tables, parts[3])
	}
}

// named returns the names that begin with a prefix, without it.
func (s *Service) named(prefix string) []map[string]string {
	var all []map[string]string
	for name := range s.tables {
		if rest, found := strings.CutPrefix(name, prefix); found {
			all = append(all, map[string]string{"name": rest})
		}
	}
	slices.SortFunc(all, func(a, b map[string]string) int { return strings.Compare(a["name"], b["name"]) })
	return all
}

// Tables returns the databases and tables that there are, sorted.
func (s *Service) Tables() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
