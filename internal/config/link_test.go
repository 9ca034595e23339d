package config

import "testing"

// Links are of http and https alone, and values cannot change where they lead.
func TestLinks(t *testing.T) {
	t.Parallel()
	links := aListOfLinks()
	for text, want := range map[string]bool{
		`[]`: true,
		`[{"match":"td.last_job_id","title":"TD","url":"https://console.example.com/jobs/{value}"}]`: true,
		`[{"match":"a","title":"b","url":"http://example.com/x?q={value}#{value}"}]`:                 true,
		`[{"match":"a","title":"b","url":"http://example.com"}]`:                                     true,
		`[{"match":"a","title":"b","url":"javascript:alert(1)//{value}"}]`:                           false,
		`[{"match":"a","title":"b","url":"data:text/html,{value}"}]`:                                 false,
		`[{"match":"a","title":"b","url":"//example.com/{value}"}]`:                                  false,
		`[{"match":"a","title":"b","url":"{value}"}]`:                                                false,
		`[{"match":"a","title":"b","url":"https://{value}/x"}]`:                                      false,
		`[{"match":"a","title":"b","url":"https://{value}.example.com/x"}]`:                          false,
		`[{"match":"a","title":"b","url":"https://example.com{value}"}]`:                             false,
		`[{"match":"a","title":"b","url":"https://me:hush@example.com/"}]`:                           false,
		`[{"match":"a","title":"","url":"https://example.com/"}]`:                                    false,
		`[{"match":"a","title":"b","url":"https://example.com/","x":1}]`:                             false,
		`{}`: false, ``: false, `[] []`: false,
	} {
		if _, err := links.parse(text); (err == nil) != want {
			t.Errorf("%s: %v, want it accepted: %v", text, err, want)
		}
	}
}
