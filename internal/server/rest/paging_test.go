package rest

import (
	"net/url"
	"testing"
)

// A cursor gives back its key. Any other text gives an error, or a key of the right form.
func FuzzCursor(f *testing.F) {
	f.Add("YQ", "10")
	f.Add("MQoxCjE", "500")
	f.Add("MQoxCi0x", "")
	f.Add("\xff", "9999999999999999999")
	f.Fuzz(func(t *testing.T, cursor, limit string) {
		c := &Call{Query: url.Values{"cursor": {cursor}, "limit": {limit}}}
		for parts := 1; parts <= 3; parts++ {
			n, key, err := c.PageNumbers(parts)
			if err != nil {
				continue
			}
			if n < 1 || n > maxPage || cursor == "" != (key == nil) || key != nil && len(key) != parts {
				t.Errorf("cursor %q, limit %q: %d, %v", cursor, limit, n, key)
			}
			if key == nil {
				continue
			}
			c.Query.Set("cursor", *NumberCursor(key...))
			if _, again, err := c.PageNumbers(parts); err != nil || len(again) != parts || again[0] != key[0] {
				t.Errorf("key %v comes back as %v, %v", key, again, err)
			}
		}
	})
}
