// Package builtin has the table of all operators, and makes their options from a system's settings.
package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/aws"
	"github.com/trowel-project/trowel/internal/operator/gcp"
	"github.com/trowel-project/trowel/internal/operator/postgres"
	"github.com/trowel-project/trowel/internal/operator/redis"
	"github.com/trowel-project/trowel/internal/operator/sqldb"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Read returns the options of operators from the settings config.* and param_server.* (operators
// 11), for a local run or a server. get looks up a setting by its whole key, and env a variable of the
// environment. userAgent is the user agent of http> unless a setting has another one.
func Read(get, env func(string) (string, bool), userAgent string) (Options, error) {
	s := &settings{get: get}
	core := operator.Options{HTTP: s.http(env, userAgent), Mail: s.mail(), Params: s.paramServer()}
	return Options{
		Options: core,
		AWS:     aws.Options{Env: env},
		GCP:     gcp.Options{Env: env},
		SQL:     sqldb.Options{PG: s.database("pg"), Redshift: s.database("redshift"), MySQL: s.database("mysql"), Env: env},
		TD:      s.td(env, userAgent),
	}, errors.Join(s.errs...)
}

// settings reads typed settings and collects errors about them.
type settings struct {
	get  func(key string) (string, bool)
	errs []error
}

func (s *settings) wrong(key, value, want string) {
	s.errs = append(s.errs, fmt.Errorf("setting %s = %s: want %s", key, value, want))
}

func (s *settings) text(key string) string {
	text, _ := s.get(key)
	return text
}

// number reads a number from low on; found reports whether the setting is there.
func (s *settings) number(key string, low int) (n int, found bool) {
	text, found := s.get(key)
	if !found {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < low {
		s.wrong(key, text, fmt.Sprintf("a number from %d on", low))
	}
	return n, true
}

// duration reads a length of time; zero if the setting is not there.
func (s *settings) duration(key string) time.Duration {
	text, found := s.get(key)
	if !found {
		return 0
	}
	d, err := param.ParseDuration(text)
	if err != nil || d <= 0 {
		s.wrong(key, text, "a length of time, as 30s")
	}
	return d
}

func (s *settings) flag(key string, otherwise bool) bool {
	text, found := s.get(key)
	if !found {
		return otherwise
	}
	value, ok := param.AsBool(text)
	if !ok {
		s.wrong(key, text, "true or false")
	}
	return value
}

// need reads a number that another setting requires.
func (s *settings) need(key string, low int, because string) int {
	n, found := s.number(key, low)
	if !found {
		s.errs = append(s.errs, fmt.Errorf("setting %s needs %s", because, key))
	}
	return n
}

func (s *settings) http(env func(string) (string, bool), userAgent string) operator.HTTPOptions {
	options := operator.HTTPOptions{
		NoUserProxy: !s.flag("config.http.allow_user_proxy", true),
		UserAgent:   cmp.Or(s.text("config.http.user_agent"), userAgent),
		Env:         env,
	}
	if n, found := s.number("config.http.max_redirects", 0); found {
		options.MaxRedirects = n
		if n == 0 {
			options.MaxRedirects = -1
		}
	}
	options.MaxStoredSize, _ = s.number("config.http.max_stored_response_content_size", 1)
	options.MaxCallSize, _ = s.number("config.http_call.max_response_content_size", 1)
	const enabled = "config.http.proxy.enabled"
	if s.flag(enabled, false) {
		options.Proxy = &operator.HTTPProxy{
			Host: s.text("config.http.proxy.host"),
			Port: s.need("config.http.proxy.port", 1, enabled),
			TLS:  s.flag("config.http.proxy.tls", false),
		}
		if options.Proxy.Host == "" {
			s.errs = append(s.errs, fmt.Errorf("setting %s needs config.http.proxy.host", enabled))
		}
	}
	return options
}

func (s *settings) mail() operator.MailOptions {
	const host = "config.mail.host"
	options := operator.MailOptions{
		Host:     s.text(host),
		NoTLS:    !s.flag("config.mail.tls", true),
		SSL:      s.flag("config.mail.ssl", false),
		Debug:    s.flag("config.mail.debug", false),
		Username: s.text("config.mail.username"),
		Password: secret.NewValue(s.text("config.mail.password")),
		From:     s.text("config.mail.from"),
		Subject:  s.text("config.mail.subject"),
	}
	if options.Host != "" {
		options.Port = s.need("config.mail.port", 1, host)
	}
	return options
}

// td reads the settings of Treasure Data, with what is wrong with them together.
func (s *settings) td(env func(string) (string, bool), userAgent string) td.Options {
	options := td.Options{
		Endpoint: s.text("config.td.default_endpoint"),
		MinPoll:  s.duration("config.td.min_poll_interval"), MaxPoll: s.duration("config.td.max_poll_interval"),
		MinRetry: s.duration("config.td.min_retry_interval"), MaxRetry: s.duration("config.td.max_retry_interval"),
		Wait: td.WaitOptions{
			Poll:    s.duration("config.td.wait.poll_interval"),
			MinPoll: s.duration("config.td.wait.min_poll_interval"), MaxPoll: s.duration("config.td.wait.max_poll_interval"),
		},
		UserAgent: userAgent, Env: env,
	}
	if err := options.Check(); err != nil {
		s.errs = append(s.errs, err)
	}
	return options
}

// database reads the settings of one kind of database. Limits of results may also be set for all of them (operators 7.1).
func (s *settings) database(name string) sqldb.Settings {
	limit := func(key string) int {
		own, found := s.number("config."+name+"."+key, 1)
		all, _ := s.number("config.jdbc."+key, 1)
		if found {
			return own
		}
		return all
	}
	connections, _ := s.number("config."+name+".max_connections", 1)
	return sqldb.Settings{
		MaxConnections: connections,
		MaxRows:        limit("max_store_last_results_rows"),
		MaxColumns:     limit("max_store_last_results_columns"),
		MaxValueSize:   limit("max_store_last_results_value_size"),
	}
}

// paramServer returns nil if there are no settings for one.
func (s *settings) paramServer() operator.ParamServer {
	switch kind := s.text("param_server.type"); kind {
	case "":
		return nil
	case "redis":
		port, _ := s.number("param_server.port", 1)
		return redis.New(redis.Options{
			Host: s.text("param_server.host"), Port: port, TLS: s.flag("param_server.ssl", false),
			Password: secret.NewValue(s.text("param_server.password")),
		})
	case "postgresql":
		return s.paramDatabase()
	default:
		s.errs = append(s.errs, fmt.Errorf("Unsupported param_server.type : %s", kind)) //nolint:staticcheck // operators 6.1
		return nil
	}
}

// paramDatabase returns a param server in PostgreSQL. As in Digdag, TLS alone does not mean that certificates are checked.
func (s *settings) paramDatabase() operator.ParamServer {
	const prefix = "param_server."
	port, _ := s.number(prefix+"port", 1)
	login, _ := s.number(prefix+"loginTimeout", 1)
	socket, _ := s.number(prefix+"socketTimeout", 1)
	options := postgres.Options{
		Host: s.text(prefix + "host"), Port: port, User: s.text(prefix + "user"), Database: s.text(prefix + "database"),
		Password:     secret.NewValue(s.text(prefix + "password")),
		LoginTimeout: time.Duration(login) * time.Second, SocketTimeout: time.Duration(socket) * time.Second,
	}
	if s.flag(prefix+"ssl", false) {
		options.SSLMode = "require"
		if mode := s.text(prefix + "sslmode"); mode != "" {
			options.SSLMode = mode
		}
		options.SSLCert, options.SSLKey = s.text(prefix+"sslcert"), s.text(prefix+"sslkey")
		options.SSLRootCert = s.text(prefix + "sslrootcert")
	}
	server, err := postgres.New(options)
	if err != nil {
		s.errs = append(s.errs, err)
		return nil
	}
	return server
}
