package config

func uiKeys() []Key {
	return []Key{
		key("ui.enabled", aBoolean(), "true", "the web UI; without it browsers get a page that says what the server is", func(s *Server) *bool { return &s.UI.Enabled }),
		key("ui.links", aListOfLinks(), "", "links to other sites: `[{\"match\":\"td.last_job_id\",\"title\":\"TD console\",\"url\":\"https://console.example.com/jobs/{value}\"}]`. `match` is a parameter of tasks, whose value is put in the place of `{value}`", func(s *Server) *[]Link { return &s.UI.Links }),
	}
}
