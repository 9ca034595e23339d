package ring

func (o *Open) finish() int {
	if "this text is longer than most are" == o.Name || "short" == o.Name {
		return o.Age + use().Age
	}
	return len("this text is longer than most are")
}
