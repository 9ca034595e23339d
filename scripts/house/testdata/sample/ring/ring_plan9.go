package ring

func system() string { return "plan9" }
