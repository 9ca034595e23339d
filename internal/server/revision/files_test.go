package revision_test

import (
	"crypto/md5" //nolint:gosec // what the API reports
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

const (
	filesPath   = "/api/projects/1/files"
	contentPath = filesPath + "/content?path="
	workflow    = "+a:\n  echo>: hi\n"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	s.Push(t, "project=p&revision=r1", "main.dig", workflow, "q/b.sql", "select 1", "q/a.bin", "x\x00y")
	first := servertest.Read[api.ProjectFileList](t, s.Get(t, filesPath+"?limit=2"), 200)
	sum := func(text string) *string {
		hash := md5.Sum([]byte(text)) //nolint:gosec // see above
		hexa := hex.EncodeToString(hash[:])
		return &hexa
	}
	want := api.List[api.ProjectFile]{
		{Path: "main.dig", Kind: "file", Size: int64(len(workflow)), Mode: "0644", MD5: sum(workflow)},
		{Path: "q/a.bin", Kind: "file", Size: 3, Mode: "0644", MD5: sum("x\x00y"), Binary: true},
	}
	if diff := cmp.Diff(want, first.Items); diff != "" || first.Revision != "r1" || first.Next == nil {
		t.Fatalf("first page = %+v (-want +got):\n%s", first, diff)
	}
	s.Push(t, "project=p&revision=r2", "main.dig", workflow)
	second := servertest.Read[api.ProjectFileList](t, s.Get(t, filesPath+"?limit=2&cursor="+*first.Next), 200)
	if len(second.Items) != 1 || second.Items[0].Path != "q/b.sql" || second.Revision != "r1" || second.Next != nil {
		t.Errorf("second page = %+v, want the rest of the same revision", second)
	}
	if newest := servertest.Read[api.ProjectFileList](t, s.Get(t, filesPath), 200); newest.Revision != "r2" || len(newest.Items) != 1 {
		t.Errorf("newest revision = %+v, want r2", newest)
	}
	for path, status := range map[string]int{
		filesPath + "?revision=r3": 404, "/api/projects/9/files": 404, filesPath + "?cursor=x": 400, filesPath + "?limit=0": 400,
	} {
		if a := s.Get(t, path); a.Status != status {
			t.Errorf("%s: %d %s, want %d", path, a.Status, a.Body, status)
		}
	}
}

func TestFileContent(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	s.Push(t, "project=p&revision=r1", "main.dig", workflow, "page.html", "<script>alert(1)</script>", "q/a.bin", "x\x00y")
	page := s.Get(t, contentPath+"page.html")
	if page.Status != 200 || page.Body != "<script>alert(1)</script>" || page.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		page.Header.Get("X-Content-Type-Options") != "nosniff" || page.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" {
		t.Errorf("page = %d %q %v, want text that no browser runs", page.Status, page.Body, page.Header)
	}
	if binary := s.Get(t, contentPath+"q/a.bin&revision=r1"); binary.Body != "x\x00y" || binary.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("binary = %q %v", binary.Body, binary.Header)
	}
	if same := s.Do(t, "GET", contentPath+"page.html", "", "", "If-None-Match", page.Header.Get("ETag")); same.Status != 304 {
		t.Errorf("with the ETag: %d, want 304", same.Status)
	}
	for _, path := range []string{"", "nothing", "../main.dig", "/etc/passwd", "q", "q/", "main.dig\n"} {
		if a := s.Get(t, contentPath+url.QueryEscape(path)); a.Status != 404 && (path != "" || a.Status != 400) {
			t.Errorf("path %q: %d %s, want that there is no such file", path, a.Status, a.Body)
		}
	}
}

func TestFileRanges(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	s.Push(t, "project=p&revision=r1", "main.dig", workflow, "ten", "0123456789", "empty", "")
	tag := s.Get(t, contentPath+"ten").Header.Get("ETag")
	for _, c := range []struct {
		path, asked, only string
		status            int
		body, part        string
	}{
		{"ten", "bytes=2-4", "", 206, "234", "bytes 2-4/10"},
		{"ten", "bytes=8-", "", 206, "89", "bytes 8-9/10"},
		{"ten", "bytes=-3", "", 206, "789", "bytes 7-9/10"},
		{"ten", "bytes=-99999999999999999999", "", 206, "0123456789", "bytes 0-9/10"},
		{"ten", "bytes=5-99999999999999999999", "", 206, "56789", "bytes 5-9/10"},
		{"ten", "bytes=9-9", tag, 206, "9", "bytes 9-9/10"},
		{"ten", "bytes=9-9", `"other"`, 200, "0123456789", ""},
		{"ten", "bytes=4-2", "", 200, "0123456789", ""},
		{"ten", "bytes=1-2,4-5", "", 200, "0123456789", ""},
		{"ten", "bytes=--2", "", 200, "0123456789", ""},
		{"ten", "lines=1-2", "", 200, "0123456789", ""},
		{"ten", "bytes=10-", "", 416, "", "bytes */10"},
		{"ten", "bytes=99999999999999999999-", "", 416, "", "bytes */10"},
		{"ten", "bytes=-0", "", 416, "", "bytes */10"},
		{"empty", "bytes=0-", "", 416, "", "bytes */0"},
		{"empty", "bytes=-1", "", 416, "", "bytes */0"},
	} {
		header := []string{"Range", c.asked}
		if c.only != "" {
			header = append(header, "If-Range", c.only)
		}
		a := s.Do(t, "GET", contentPath+c.path, "", "", header...)
		if a.Status != c.status || a.Body != c.body || a.Header.Get("Content-Range") != c.part {
			t.Errorf("%s %s: %d %q %q, want %d %q %q", c.path, c.asked, a.Status, a.Body, a.Header.Get("Content-Range"), c.status, c.body, c.part)
		}
	}
}

// Who may not see a project sees none of its files.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	s.Push(t, "project=mine&revision=r1", "main.dig", workflow)
	s.Push(t, "project=theirs&revision=r1", "main.dig", workflow)
	token := s.Token(t, access.RoleRead, "mine")
	for path, status := range map[string]int{
		"/api/projects/1/files": 200, "/api/projects/1/files/content?path=main.dig": 200,
		"/api/projects/2/files": 404, "/api/projects/2/files/content?path=main.dig": 404,
	} {
		a := s.Do(t, "GET", path, "", "", "Authorization", "Bearer "+token)
		if a.Status != status || status == 404 && strings.Contains(a.Body, "main.dig") {
			t.Errorf("%s: %d %s, want %d", path, a.Status, a.Body, status)
		}
	}
}
