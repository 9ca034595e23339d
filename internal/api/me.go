package api

// Me is the document of the caller: who calls, and what they may do.
type Me struct {
	User  string       `json:"user"`  // the name of the user or token; "anonymous" where nobody signs in
	Name  string       `json:"name"`  // what to show for it
	Roles List[string] `json:"roles"` // has the one role
	Can   List[string] `json:"can"`   // what the caller may do with all projects, by the names of rights
	// Projects says what a caller of one project alone may do with it, by the project's id. Missing for all others.
	Projects  map[string]List[string] `json:"projects,omitempty"`
	Auth      string                  `json:"auth"`                // "basic", "token", or "none" where nobody signs in
	Login     *ID                     `json:"login,omitempty"`     // of a browser that is signed in
	ExpiresAt *string                 `json:"expiresAt,omitempty"` // when the login or token ends; missing for never
	// ServerTime is the present time of the server, in milliseconds.
	ServerTime string             `json:"serverTime"`
	Version    string             `json:"version"` // of the server
	Links      List[LinkTemplate] `json:"links"`
}

// LinkTemplate is a template of links to other sites, for values of tasks.
type LinkTemplate struct {
	Match string `json:"match"` // the name of the parameter whose value is linked, as td.last_job_id
	Title string `json:"title"`
	URL   string `json:"url"` // http or https; {value} stands for the value
}

// LoginOptions says how one can sign in.
type LoginOptions struct {
	Password  bool                `json:"password"` // with user and password
	Token     bool                `json:"token"`    // with a token
	Providers List[LoginProvider] `json:"providers"`
}

// LoginProvider is another site where one signs in.
type LoginProvider struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// LoginRequest signs in, with a user and a password or with a token.
type LoginRequest struct {
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Token    string `json:"token,omitempty"`
}

// Login is a browser that is signed in. Instants are in UTC with milliseconds.
type Login struct {
	ID        ID     `json:"id"`
	Current   bool   `json:"current"` // it is the one that asks
	Address   string `json:"address"` // where it signed in from
	Browser   string `json:"browser"` // what it says about itself
	CreatedAt string `json:"createdAt"`
	UsedAt    string `json:"usedAt"`    // to some minutes
	ExpiresAt string `json:"expiresAt"` // if it is not used again
}

// LoginList is a list of browsers.
type LoginList struct {
	Items List[Login] `json:"items"`
	Next  *string     `json:"next"` // names the next page; nil on the last one
}

// LoginsEnded says how many browsers were signed out.
type LoginsEnded struct {
	Ended int `json:"ended"`
}
