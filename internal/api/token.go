package api

// Token is the document of a token (docs/tokens.md). Instants are in UTC with milliseconds.
type Token struct {
	ID         ID           `json:"id"`
	Name       string       `json:"name"`
	Scopes     List[string] `json:"scopes"`  // has the one role of the token
	Project    *IDName      `json:"project"` // the only project that it is for; nil for all
	CreatedAt  string       `json:"createdAt"`
	LastUsedAt *string      `json:"lastUsedAt"`       // to the minute; nil if it never was
	ExpiresAt  *string      `json:"expiresAt"`        // nil if it never expires
	RevokedAt  *string      `json:"revokedAt"`        // nil if it was not revoked
	Secret     string       `json:"secret,omitempty"` // what its bearer sends; present only in the answer that makes the token
}

// TokenList is a page of tokens.
type TokenList struct {
	Items List[Token] `json:"items"`
	Next  *string     `json:"next"` // names the next page; nil on the last one
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name      string  `json:"name"`
	Role      string  `json:"role"`              // "admin", "operator" or "read"
	Project   string  `json:"project,omitempty"` // name of the only project that it is for; empty for all
	ExpiresAt *string `json:"expiresAt"`         // an instant; nil for never
}
