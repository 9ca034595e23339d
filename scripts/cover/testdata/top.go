package sample

var table = func() int {
	return 1
}()

func top() {
	table++
}
