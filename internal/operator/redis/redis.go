// Package redis stores the parameters of param_set> and param_get> in Redis, with Digdag's keys and
// values, so that both programs can share it (operators 6.1). It has a folder of its own because of the library
// that it uses. Server is an operator.ParamServer.
package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// site is the number of Digdag's only site, with which keys begin.
const site = "0:"

// timeout limits connecting, and each command.
const timeout = 10 * time.Second

// Options say where Redis is. The zero value is a local server without a password.
type Options struct {
	Host     string // empty for localhost
	Port     int    // 0 for 6379
	TLS      bool
	Password secret.Value
	Config   *tls.Config // nil for the system's certificates
}

// Server is a Redis server. Each call has a connection of its own. It is safe for concurrent use.
type Server struct{ options Options }

// New returns a Server. It does not connect yet.
func New(options Options) *Server {
	if options.Host == "" {
		options.Host = "localhost"
	}
	if options.Port == 0 {
		options.Port = 6379
	}
	return &Server{options: options}
}

// SetParams implements operator.ParamServer.
func (s *Server) SetParams(ctx context.Context, values map[string]string) (err error) {
	return s.with(ctx, func(conn redis.Conn) error {
		if err := conn.Send("MULTI"); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := conn.Send("SETEX", site+key, int(operator.ParamTTL.Seconds()), encode(values[key])); err != nil {
				return err
			}
		}
		_, err := redis.DoContext(conn, ctx, "EXEC")
		return err
	})
}

// FindParams implements operator.ParamServer.
func (s *Server) FindParams(ctx context.Context, keys []string) (map[string]string, error) {
	values := map[string]string{}
	err := s.with(ctx, func(conn redis.Conn) error {
		args := make([]any, len(keys))
		for i, key := range keys {
			args[i] = site + key
		}
		texts, err := redis.ByteSlices(redis.DoContext(conn, ctx, "MGET", args...))
		if err != nil {
			return err
		}
		for i, text := range texts {
			if text == nil {
				continue
			}
			if values[keys[i]], err = decode(string(text)); err != nil {
				return fmt.Errorf("value of %q in Redis: %w", keys[i], err)
			}
		}
		return nil
	})
	return values, err
}

// with calls do with a connection.
func (s *Server) with(ctx context.Context, do func(redis.Conn) error) error {
	address := net.JoinHostPort(s.options.Host, strconv.Itoa(s.options.Port))
	conn, err := redis.DialContext(ctx, "tcp", address,
		redis.DialConnectTimeout(timeout), redis.DialReadTimeout(timeout), redis.DialWriteTimeout(timeout),
		redis.DialPassword(s.options.Password.Reveal()), redis.DialUseTLS(s.options.TLS), redis.DialTLSConfig(s.options.Config),
	)
	if err != nil {
		return fmt.Errorf("connect to Redis: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the work is done or failed already
	return do(conn)
}

// encode returns Digdag's form of a value, byte for byte. A text has the type 0.
func encode(text string) string {
	return param.JSON(param.Of("value_type", 0, "value", param.Of("value", text)))
}

// decode reads Digdag's form of a value.
func decode(text string) (string, error) {
	record, err := param.ParseMap(text)
	if err != nil {
		return "", err
	}
	outer, err := param.NewReader(record).MapOf("value")
	if err != nil {
		return "", err
	}
	return param.NewReader(outer).String("value")
}
