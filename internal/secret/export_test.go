package secret

// Dir tells tests where the files are.
func (l *Local) Dir() string { return l.options.Dir }
