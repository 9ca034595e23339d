package signin

import (
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Limits of what somebody sends who is not signed in.
const (
	maxRequest = 16 << 10 // bytes of a request
	maxName    = 200      // bytes of a name
	maxBrowser = 300      // bytes that are kept of what a browser says about itself
)

// signIn signs a browser in. A login that the browser had before ends.
func (h *handlers) signIn(c *rest.Call) (any, error) {
	if c.FromElsewhere() {
		return nil, rest.Errorf(http.StatusForbidden, "a page of another origin may not sign in")
	}
	if !h.SignIn {
		return nil, rest.Conflict(rest.CodeNoSignIn, "nobody signs in here: the server has no user").WithHint("set server.authenticator.basic.username and password")
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxRequest)
	var request api.LoginRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	signed, err := h.check(c, &request)
	if err != nil {
		return nil, err
	}
	before, _ := c.Admit() // a browser may sign in again
	c.Caller = signed.Caller
	l := signed.Login
	l.Address, l.Browser = access.Origin(c.Request.RemoteAddr), beginning(c.Request.UserAgent(), maxBrowser)
	err = c.Update(func(tx trowel.Tx) error {
		if before.Login != nil {
			if err := end(c, tx, before.Login); err != nil {
				return err
			}
		}
		if err := tx.InsertLogin(c.Ctx(), l); err != nil {
			return err
		}
		return c.Record(tx, record("login.create", l, c.Caller.Name))
	})
	if err != nil {
		return nil, err
	}
	c.RecheckLogins()
	c.SetCookie(signed.Secret, lasts(c, l))
	return h.meOf(c), nil
}

// check checks what somebody signs in with.
func (h *handlers) check(c *rest.Call, request *api.LoginRequest) (*access.SignedIn, error) {
	switch {
	case request.Token != "" && (request.User != "" || request.Password != ""):
		return nil, rest.InvalidValue("token", "sign in with a user and a password, or with a token")
	case request.Token != "":
		signed, err := h.Auth.SignInToken(c.Ctx(), c.Request.RemoteAddr, request.Token)
		if err == nil && signed.Caller.Role == access.RoleAgent {
			err = rest.Errorf(http.StatusForbidden, "the token of %s is for a remote agent, and for nothing else", signed.Caller.Name)
		}
		return signed, err
	case len(request.User) > maxName:
		return nil, rest.InvalidValue("user", "the name of a user has at most %d bytes", maxName)
	}
	return h.Auth.SignIn(c.Request.RemoteAddr, request.User, request.Password)
}

// beginning returns the beginning of a text as valid UTF-8.
func beginning(text string, size int) string {
	text = text[:min(len(text), size)]
	for text != "" && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// signOut ends the login of the browser that asks. It takes the cookie away in any case.
func (h *handlers) signOut(c *rest.Call) (any, error) {
	by, err := c.Admit()
	if err != nil && !errors.Is(err, access.ErrUnauthenticated) {
		return nil, err
	}
	c.SetCookie("", 0)
	if by.Login == nil {
		return api.LoginsEnded{}, nil
	}
	c.Caller = by
	return endAll(c, []*trowel.Login{by.Login})
}

// own returns the logins of the caller.
func own(c *rest.Call, tx trowel.Tx) ([]*trowel.Login, error) {
	switch {
	case c.Caller.Token != nil:
		return tx.ListLogins(c.Ctx(), "", c.Caller.Token.ID)
	case c.Caller.Kind == access.KindBasic:
		return tx.ListLogins(c.Ctx(), c.Caller.Name, 0)
	}
	return nil, nil
}

func (h *handlers) list(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	list := api.LoginList{Items: api.List[api.Login]{}}
	err = c.View(func(tx trowel.Tx) error {
		logins, err := own(c, tx)
		for _, l := range logins {
			if !c.Now.Before(access.LoginEnd(l)) || key != nil && int64(l.ID) <= key[0] {
				continue
			}
			if len(list.Items) == limit {
				list.Next = rest.NumberCursor(int64(list.Items[limit-1].ID))
				break
			}
			list.Items = append(list.Items, loginOf(l, c.Caller.Login))
		}
		return err
	})
	return list, err
}

func (h *handlers) endOthers(c *rest.Call) (any, error) {
	logins, err := read(c)
	if err != nil {
		return nil, err
	}
	var others []*trowel.Login
	for _, l := range logins {
		if c.Caller.Login == nil || l.ID != c.Caller.Login.ID {
			others = append(others, l)
		}
	}
	return endAll(c, others)
}

func (h *handlers) endOne(c *rest.Call) (any, error) {
	logins, err := read(c)
	if err != nil {
		return nil, err
	}
	id := trowel.LoginID(c.PathNumber(0))
	for _, l := range logins {
		if l.ID == id {
			return endAll(c, []*trowel.Login{l})
		}
	}
	return nil, rest.NotFound("there is no browser with id %d that you are signed in with", id)
}

func read(c *rest.Call) (logins []*trowel.Login, err error) {
	err = c.View(func(tx trowel.Tx) error {
		logins, err = own(c, tx)
		return err
	})
	return logins, err
}

// endAll ends logins, together with their streams on all servers.
func endAll(c *rest.Call, logins []*trowel.Login) (any, error) {
	ended := 0
	err := c.Update(func(tx trowel.Tx) error {
		ended = 0
		for _, l := range logins {
			err := end(c, tx, l)
			if errors.Is(err, trowel.ErrNotFound) {
				continue // it has just ended
			}
			if err != nil {
				return err
			}
			ended++
		}
		return nil
	})
	c.RecheckLogins()
	return api.LoginsEnded{Ended: ended}, err
}

func end(c *rest.Call, tx trowel.Tx, l *trowel.Login) error {
	if err := tx.DeleteLogin(c.Ctx(), l.ID); err != nil {
		return err
	}
	if err := tx.Notify(c.Ctx(), cluster.Logins{}.String()); err != nil {
		return err
	}
	return c.Record(tx, record("login.end", l, c.Caller.Name))
}

// record returns the audit record of a login that was made or ended.
func record(action string, l *trowel.Login, name string) trowel.AuditRecord {
	return trowel.AuditRecord{Action: action, ObjectKind: "login", ObjectID: strconv.FormatInt(int64(l.ID), 10), Object: name + " at " + l.Address}
}
