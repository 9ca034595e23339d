package td

import (
	"testing"
	"time"
)

// Operators 8.7: settings that contradict each other.
func TestOptionsCheck(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"": {Wait: WaitOptions{MinPoll: time.Second}},
		"invalid configuration value: config.td.max_poll_interval":      {MinPoll: time.Minute},
		"invalid configuration value: config.td.max_retry_interval":     {MaxRetry: time.Millisecond},
		"invalid configuration value: config.td.wait.max_poll_interval": {Wait: WaitOptions{MaxPoll: time.Second}},
		"invalid configuration value: config.td.wait.poll_interval":     {Wait: WaitOptions{MinPoll: time.Hour}}, // needs a default
	} {
		err := o.Check()
		if got := ""; err != nil && err.Error() != want || err == nil && got != want {
			t.Errorf("Check(%+v) = %v, want %q", o, err, want)
		}
	}
	if err := (Options{Wait: WaitOptions{MinPoll: time.Hour, Poll: 2 * time.Hour}}).Check(); err != nil {
		t.Errorf("Check = %v", err)
	}
}

// Operators 8.2: where the command goes.
func TestWithCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"select 1": "INSERT\nselect 1",
		"with a as (select 1)\n-- DIGDAG_INSERT_LINE x\nselect 1": "with a as (select 1)\nINSERT\nselect 1",
		"--DIGDAG_INSERT_LINE":                   "INSERT",
		"select '\n -- DIGDAG_INSERT_LINE'":      "INSERT\nselect '\n -- DIGDAG_INSERT_LINE'",
		"-- c\nselect 1":                         "-- c\nINSERT\nselect 1",
		"\n\n-- c\n-- d\nselect 1":               "\n\n-- c\n-- d\nINSERT\nselect 1",
		"-- c\nselect 1\n":                       "INSERT\n-- c\nselect 1\n",
		"-- c\nselect 1,\n2":                     "INSERT\n-- c\nselect 1,\n2",
		" -- c\nselect 1":                        "INSERT\n -- c\nselect 1",
		"-- DIGDAG_INSERT_LINE\r\nselect 1\r\n":  "INSERT\r\nselect 1\r\n",
		"select 1 -- DIGDAG_INSERT_LINE\nfrom t": "INSERT\nselect 1 -- DIGDAG_INSERT_LINE\nfrom t",
	} {
		if got := withCommand(text, "INSERT"); got != want {
			t.Errorf("withCommand(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestJobURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"api.treasuredata.com":      "https://console.treasuredata.com/app/jobs/7",
		"api.eu01.treasuredata.com": "https://console.eu01.treasuredata.com/app/jobs/7",
		"api.treasuredata.co.jp":    "https://console.treasuredata.co.jp/app/jobs/7",
		"api.example.com":           "",
		"api.treasuredata.com:8080": "",
		"eviltreasuredata.com":      "",
		"api.eviltreasuredata.com":  "",
	} {
		if got, _ := (endpoint{host: host}).jobURL("7"); got != want {
			t.Errorf("jobURL(%s) = %q, want %q", host, got, want)
		}
	}
}
