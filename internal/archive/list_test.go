package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func TestList(t *testing.T) {
	t.Parallel()
	packed := archiveOf(
		t, folder("q/"), file("q/b", "old"), file("q.sql", "select 1"), file("q/a", strings.Repeat("x", textHead)+"\x00"), file("q/b", "new\x00"), link("inside", "q"),
	)
	list, err := List(t.Context(), bytes.NewReader(packed), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		f := &list[i]
		line := f.Name
		switch {
		case f.Link != "":
			line += " -> " + f.Link
		case f.Binary:
			line += " binary"
		}
		got = append(got, line)
		content, err := f.ReadFrom(t.Context(), bytes.NewReader(packed), Limits{})
		if f.Link != "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: ReadFrom = %v, want that it is no file", f.Name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(content); err != nil || int64(len(text)) != f.SizeBytes || f.Name == "q/b" && string(text) != "new\x00" {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
	if want := "inside -> q|q/a|q/b binary|q.sql"; strings.Join(got, "|") != want {
		t.Errorf("list = %v, want %s", got, want)
	}
	some := []*Listed{&list[3], &list[2]}
	var read []string
	err = ReadAll(t.Context(), bytes.NewReader(packed), Limits{}, some, func(f *Listed, content io.Reader) error {
		text, err := io.ReadAll(content)
		read = append(read, f.Name+"="+string(text))
		return err
	})
	if want := "q.sql=select 1|q/b=new\x00"; err != nil || strings.Join(read, "|") != want {
		t.Errorf("ReadAll = %q, %v, want %q", read, err, want)
	}
	other := archiveOf(t, file("z", "x"))
	if err := ReadAll(t.Context(), bytes.NewReader(other), Limits{}, some, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadAll of another archive = %v, want fs.ErrNotExist", err)
	}
	if _, err := list[1].ReadFrom(t.Context(), bytes.NewReader(other), Limits{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFrom of another archive = %v, want fs.ErrNotExist", err)
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	good := archiveOf(t, file("a", strings.Repeat("a b c d e", 1000)))
	for name, packed := range map[string][]byte{
		"outside": archiveOf(t, file("../a", "x")), "cut off": good[:len(good)-20], "no archive": []byte("hello"),
	} {
		if list, err := List(t.Context(), bytes.NewReader(packed), Limits{}); !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("%s: List = %v, %v, want trowel.ErrInvalid", name, list, err)
		}
	}
	if _, err := List(t.Context(), bytes.NewReader(good), Limits{MaxBytes: 100}); !errors.Is(err, trowel.ErrInvalid) {
		t.Errorf("beyond the limit: %v, want trowel.ErrInvalid", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, bytes.NewReader(good), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
