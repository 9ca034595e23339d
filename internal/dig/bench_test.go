package dig_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/trowel-project/trowel/internal/dig"
)

// manyTasks returns a file of n tasks in one group, about 58 bytes each.
func manyTasks(n int, head string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, "+task_%06d:\n  echo>: hello number %d ${x}\n  label: x\n", i, i)
	}
	return b.String()
}

func oneFile(text string) fstest.MapFS {
	return fstest.MapFS{"main.dig": &fstest.MapFile{Data: []byte(text), Mode: 0o644}}
}

// BenchmarkLoad100k reads a file of 5.8 MB with 100,000 tasks.
func BenchmarkLoad100k(b *testing.B) {
	files := oneFile(manyTasks(100_000, ""))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dig.LoadFS(files, "/p"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile100k compiles 100,000 tasks: one after the other, in parallel, and in chunks.
func BenchmarkCompile100k(b *testing.B) {
	for name, head := range map[string]string{
		"sequence": "",
		"parallel": "_parallel: true\n",
		"chunks":   "_parallel: {limit: 1000}\n",
	} {
		project, err := dig.LoadFS(oneFile(manyTasks(100_000, head)), "/p")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := project.Compile(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad1000Files reads and compiles a project of 1,000 files with ten tasks each.
func BenchmarkLoad1000Files(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 1000 {
		files[fmt.Sprintf("w%04d.dig", i)] = &fstest.MapFile{Data: []byte(manyTasks(10, "timezone: UTC\n")), Mode: 0o644}
	}
	for b.Loop() {
		project, err := dig.LoadFS(files, "/p")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := project.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck1000Files looks for all that is wrong in such a project.
func BenchmarkCheck1000Files(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 1000 {
		files[fmt.Sprintf("w%04d.dig", i)] = &fstest.MapFile{Data: []byte(manyTasks(10, "timezone: UTC\n")), Mode: 0o644}
	}
	for b.Loop() {
		if findings := dig.CheckFS(files, "/p", catalog()); len(findings) != 10_000 {
			b.Fatalf("%d findings, want one of each task: label is not used", len(findings))
		}
	}
}

// BenchmarkUnknownPools100k looks for pools in 100,000 tasks of one group, as a push does.
func BenchmarkUnknownPools100k(b *testing.B) {
	cases := []struct {
		name, body string
		findings   int
	}{
		{"none", "{echo>: x}", 0},
		{"each", "{echo>: x, _pool: a}", 100_000},
	}
	for _, tc := range cases {
		var text strings.Builder
		text.WriteString("+all:\n")
		for i := range 100_000 {
			fmt.Fprintf(&text, "  +t%d: %s\n", i, tc.body)
		}
		files := oneFile(text.String())
		b.Run(tc.name, func(b *testing.B) {
			for b.Loop() {
				findings := dig.UnknownPools(files, "/p", func(string) bool { return false })
				if len(findings) != tc.findings {
					b.Fatalf("%d findings, want %d", len(findings), tc.findings)
				}
			}
		})
	}
}
