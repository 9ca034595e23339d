package api

// Token is the document of a token (ui.md, A3). Instants are in UTC with milliseconds.
type Token struct {
	ID         ID           `json:"id"`
	Name       string       `json:"name"`
	Scopes     List[string] `json:"scopes"`  // its role
	Project    *IDName      `json:"project"` // the only one that it is for; nil for all
	CreatedAt  string       `json:"createdAt"`
	LastUsedAt *string      `json:"lastUsedAt"`
	ExpiresAt  *string      `json:"expiresAt"`
	RevokedAt  *string      `json:"revokedAt"`
	// Secret is what its bearer sends. It is told once, when the token is made.
	Secret string `json:"secret,omitempty"`
}

// TokenList is a page of tokens.
type TokenList struct {
	Items List[Token] `json:"items"`
	Next  *string     `json:"next"`
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name      string  `json:"name"`
	Role      string  `json:"role"`              // "admin", "operator" or "read"
	Project   string  `json:"project,omitempty"` // name of the only project that it is for; for all if it is missing
	ExpiresAt *string `json:"expiresAt"`         // an instant; never if it is missing
}
