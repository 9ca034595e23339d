package secret

// Dir returns the folder of the files.
func (l *Local) Dir() string { return l.options.Dir }
