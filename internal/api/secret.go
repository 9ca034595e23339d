package api

// Secret is RestSecret: the answer to setting or deleting one.
type Secret struct {
	Key     string `json:"key"`
	Project IDName `json:"project"`
}

// SecretKey is one entry of SecretList. Values are never sent.
type SecretKey struct {
	Key string `json:"key"`
}

// SecretList is RestSecretList, in no promised order.
type SecretList struct {
	Secrets List[SecretKey] `json:"secrets"`
}

// SetSecretRequest is RestSetSecretRequest. The value is required and may be empty.
type SetSecretRequest struct {
	Value string `json:"value"`
}

// UnmarshalJSON reads a request by the rules of server 2.2.
func (q *SetSecretRequest) UnmarshalJSON(data []byte) error {
	r := read(data)
	*q = SetSecretRequest{Value: r.text("value")}
	return r.err
}
