package config

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// someAddresses returns the kind of settings that are one address, or a JSON list of them (server 7.1).
func someAddresses() kind[[]string] {
	return kind[[]string]{"address, or JSON list", func(text string) ([]string, error) {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "[") {
			return []string{text}, nil
		}
		var list []string
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, errors.New(`use one address, or a list as in ["a@example.com","b@example.com"]`)
		}
		return list, nil
	}}
}

func notificationKeys() []Key {
	n := func(s *Server) *Notification { return &s.Notification }
	return []Key{
		key("notification.type", aChoice("http", "mail", "shell"), "", "how people are told of failures, missed deadlines and killed attempts; nothing is sent unless set", func(s *Server) *string { return &n(s).Type }),
		key("notification.retries", aNumber(0), "10", "how often a failed notification is tried again", func(s *Server) *int { return &n(s).Retries }),
		key("notification.min_retry_wait", aNumberOfMillis(), "1000", "wait before the first retry; it grows threefold each time", func(s *Server) *time.Duration { return &n(s).MinWait }),
		key("notification.max_retry_wait", aNumberOfMillis(), "30000", "longest wait", func(s *Server) *time.Duration { return &n(s).MaxWait }),
		key("notification.http.url", aText(), "", "needed for `http`", func(s *Server) *string { return &n(s).URL }),
		key("notification.http.method", aText(), "POST", "", func(s *Server) *string { return &n(s).Method }),
		hidden(keysBelow("notification.http.headers.NAME", "a header of the request", func(s *Server) *map[string]string { return &n(s).Headers })),
		key("notification.mail.host", aText(), "", "needed for `mail`, as are the next three", func(s *Server) *string { return &n(s).Host }),
		key("notification.mail.port", aPort(), "", "", func(s *Server) *int { return &n(s).Port }),
		key("notification.mail.from", aText(), "", "", func(s *Server) *string { return &n(s).Sender }),
		key("notification.mail.to", someAddresses(), "", "", func(s *Server) *[]string { return &n(s).To }),
		key("notification.mail.cc", someAddresses(), "", "", func(s *Server) *[]string { return &n(s).Cc }),
		key("notification.mail.bcc", someAddresses(), "", "", func(s *Server) *[]string { return &n(s).Bcc }),
		key("notification.mail.subject", aText(), "Digdag Notification", "", func(s *Server) *string { return &n(s).Subject }),
		key("notification.mail.body_template_file", aText(), "", "file whose `${...}` see the keys of the notification; a built-in one unless set", func(s *Server) *string { return &n(s).BodyTemplateFile }),
		key("notification.mail.html", aBoolean(), "false", "the body is HTML", func(s *Server) *bool { return &n(s).HTML }),
		key("notification.mail.tls", aBoolean(), "true", "STARTTLS if the server has it", func(s *Server) *bool { return &n(s).TLS }),
		key("notification.mail.ssl", aBoolean(), "false", "TLS from the beginning", func(s *Server) *bool { return &n(s).SSL }),
		key("notification.mail.debug", aBoolean(), "false", "the conversation with the mail server is logged", func(s *Server) *bool { return &n(s).Debug }),
		key("notification.mail.username", aText(), "", "", func(s *Server) *string { return &n(s).Username }),
		hidden(key("notification.mail.password", aText(), "", "", func(s *Server) *string { return &n(s).Password })),
		key("notification.shell.command", aText(), "", "needed for `shell`; it gets the notification as JSON on standard input", func(s *Server) *string { return &n(s).Command }),
		key("notification.shell.timeout", aNumberOfMillis(), "30000", "limit for the command", func(s *Server) *time.Duration { return &n(s).Timeout }),
	}
}
