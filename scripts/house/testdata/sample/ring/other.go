package ring

func use() Open {
	var l list[Open]
	l.add(Open{Name: "n"})
	l.next = nil
	return first(&l)
}
