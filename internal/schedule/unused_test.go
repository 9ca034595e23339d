package schedule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnusedOptions(t *testing.T) { // S10
	t.Parallel()
	tests := []struct {
		name, block string
		unused      []string
		refused     string
	}{
		{"none", `{"daily>":"10:00:00","start":"2024-01-01","end":"2024-01-02","skip_on_overtime":1,"skip_delayed_by":1}`, nil, ""},
		{
			"one with a hint", `{"daily>":"07:00:00","skip_on_over_time":true}`,
			[]string{"Parameter 'skip_on_over_time' is not used at schedule. > Did you mean '[skip_on_overtime]'?"},
			"Parameter 'skip_on_over_time' is not used at schedule. > Did you mean '[skip_on_overtime]'?\n",
		},
		{
			"several, and a second type", `{"daily>":"10:00:00","hourly>":"05:00","strt":"2024-01-01","foo":1}`,
			[]string{
				"Parameter 'hourly>' is not used at schedule. ",
				"Parameter 'strt' is not used at schedule. > Did you mean '[start]'?",
				"Parameter 'foo' is not used at schedule. ",
			},
			"Parameter 'hourly>' is not used at schedule. \nParameter 'strt' is not used at schedule. > Did you mean '[start]'?\nParameter 'foo' is not used at schedule. \n",
		},
		{
			"delay", `{"cron>":"0 0 * * *","delay":1}`,
			[]string{"Parameter 'delay' is not used at schedule. "},
			"Parameter 'delay' is not used at schedule. \n",
		},
		{
			"the command beside a type, found before it is read", `{"_type":"daily","_command":"seven"}`, nil,
			"Parameter '_command' is not used at schedule. \n",
		},
		{
			"two hints, in the order of a hash set", `{"daily>":"07:00:00","skip_on_delayed":1}`,
			[]string{"Parameter 'skip_on_delayed' is not used at schedule. > Did you mean '[skip_delayed_by, skip_on_overtime]'?"},
			"Parameter 'skip_on_delayed' is not used at schedule. > Did you mean '[skip_delayed_by, skip_on_overtime]'?\n",
		},
		{"the type before options", `{"dayly>":"07:00:00","colour":"red"}`, nil, "Unknown scheduler type: dayly"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseStrict(config(t, test.block), UTC())
			if diff := cmp.Diff(test.refused, message(err)); diff != "" {
				t.Errorf("ParseStrict: message (-want +got):\n%s", diff)
			}
			s, err := Parse(config(t, test.block), UTC())
			if err != nil {
				return // TestParseRefuses has the texts
			}
			if diff := cmp.Diff(test.unused, s.Unused()); diff != "" {
				t.Errorf("Unused (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHashOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		keys, want []string
	}{
		{
			"options",
			[]string{"_type", "daily>", "_command", "skip_on_overtime", "skip_delayed_by", "start", "end"},
			[]string{"_type", "skip_delayed_by", "start", "daily>", "_command", "skip_on_overtime", "end"},
		},
		{
			"9 keys in a table of 16",
			[]string{"zeta", "alpha", "beta", "gamma", "delta", "omega", "daily>", "colour", "strt"},
			[]string{"zeta", "colour", "strt", "alpha", "delta", "daily>", "beta", "gamma", "omega"},
		},
		{
			"13 keys in a table of 32",
			[]string{"zeta", "_type", "Überlänge", "alpha", "beta", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "daily>"},
			[]string{"zeta", "_type", "daily>", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "alpha", "Überlänge", "beta"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, hashOrder(test.keys)); diff != "" {
				t.Errorf("hashOrder (-want +got):\n%s", diff)
			}
		})
	}
}
