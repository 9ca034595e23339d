package ring

func system() string { return "windows" }
