package config

import "github.com/trowel-project/trowel/internal/param"

func operatorKeys() []Key {
	return append(queryKeys(), []Key{
		checked("config.mail.host", aText(), "", "mail server of `mail>` tasks that name none"),
		checked("config.mail.port", aPort(), "", ""),
		checked("config.mail.tls", aBoolean(), "true", "STARTTLS if the server has it"),
		checked("config.mail.ssl", aBoolean(), "false", "TLS from the beginning"),
		checked("config.mail.debug", aBoolean(), "false", ""),
		checked("config.mail.username", aText(), "", ""),
		hidden(checked("config.mail.password", aText(), "", "")),
		checked("config.mail.from", aText(), "", "sender of mails that name none"),
		checked("config.mail.subject", aText(), "", "subject of mails that have none"),
		checked("config.http.allow_user_proxy", aBoolean(), "true", "tasks may name a proxy"),
		checked("config.http.max_redirects", aNumber(0), "8", ""),
		checked("config.http.max_stored_response_content_size", aSize(), "65536", ""),
		checked("config.http.user_agent", aText(), "", ""),
		checked("config.http.proxy.enabled", aBoolean(), "false", ""),
		checked("config.http.proxy.host", aText(), "", ""),
		checked("config.http.proxy.port", aPort(), "", ""),
		checked("config.http.proxy.tls", aBoolean(), "false", ""),
		checked("config.http_call.max_response_content_size", aSize(), "65536", ""),
		checked("config.td.default_endpoint", aText(), "api.treasuredata.com", "host of Treasure Data's API for tasks that name none"),
		checked("config.td.min_poll_interval", aDuration(), "1s", "pause between the first two looks at a job of Treasure Data; it doubles"),
		checked("config.td.max_poll_interval", aDuration(), "30s", "longest pause between two looks"),
		checked("config.td.min_retry_interval", aDuration(), "1s", "pause after a request to Treasure Data that failed and may succeed later; it doubles"),
		checked("config.td.max_retry_interval", aDuration(), "30s", "longest pause after such a request"),
		checked("config.td.wait.poll_interval", aDuration(), "30s", "pause of `td_wait>` and `td_wait_table>` tasks that name none"),
		checked("config.td.wait.min_poll_interval", aDuration(), "30s", "shortest pause that such a task may name"),
		checked("config.td.wait.max_poll_interval", aDuration(), "2d", "longest pause that such a task may name"),
		checked("param_server.type", aChoice("postgresql", "redis"), "", "where `param_set>` and `param_get>` keep parameters"),
		checked("param_server.host", aText(), "localhost", ""),
		checked("param_server.port", aPort(), "", "6379 for `redis`"),
		checked("param_server.ssl", aBoolean(), "false", ""),
		hidden(checked("param_server.password", aText(), "", "")),
		hidden(operatorsBelow("param_server.NAME", "the same names as below `database`, for `postgresql`")),
		hidden(operatorsBelow("config.NAME", "settings of other operators: intervals of polling, limits of results")),
	}...)
}

// queryKeys are the settings of operators that run SQL.
func queryKeys() (keys []Key) {
	for _, name := range []string{"pg", "redshift", "mysql", "jdbc"} {
		prefix, about, limits := "config."+name+".", "what `store_last_results` of `"+name+">` may store at most; those of `config.jdbc` unless set", [3]string{}
		if name == "jdbc" {
			about, limits = "the same for all of these operators", [3]string{"8192", "64", "256"}
		} else {
			keys = append(keys, checked(prefix+"max_connections", aNumber(1), "20", "connections that `"+name+">` tasks of one agent have to one server; others wait"))
		}
		keys = append(keys,
			checked(prefix+"max_store_last_results_rows", aNumber(1), limits[0], about),
			checked(prefix+"max_store_last_results_columns", aNumber(1), limits[1], ""),
			checked(prefix+"max_store_last_results_value_size", aNumber(1), limits[2], "characters of a text"),
		)
	}
	return keys
}

// operatorsBelow returns a row for settings that operators read, without a check.
func operatorsBelow(name, doc string) Key {
	return Key{Name: name, Kind: "text", Doc: doc, set: func(s *Server, name, text string) error {
		s.Operators[name] = text
		return nil
	}}
}

func otherKeys() []Key {
	return []Key{
		key("digdag.defaultParams", anObject(), "{}", "parameters of every attempt; `-p`, `-P` and `params.NAME` add to them", func(s *Server) **param.Map { return &s.DefaultParams }),
		elsewhere("params.NAME", "one such parameter; dots make objects"),
		key("tmpdir", aText(), "", "folder of temporary files and workspaces; the system's unless set", func(s *Server) *string { return &s.TempDir }),
		hidden(keysBelow("server.environment.NAME", "a variable of commands, over that of the server's own environment", func(s *Server) *map[string]string { return &s.Environment })),
		hidden(elsewhere("client.NAME", "settings of client commands; a server has no use for them")),
		hidden(elsewhere("secrets.NAME", "secrets of `trowel run`; a server has no use for them")),
	}
}
