package cli_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	mdLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	mdFence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	mdCode    = regexp.MustCompile("`[^`\n]+`")
)

// All links of Markdown files to other files of the repository, and to headings in these, lead somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	const root = "../.."
	links := 0
	err := filepath.WalkDir(root, func(page string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && page != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "bin" || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		isManual := strings.Contains(filepath.ToSlash(page), "/internal/operator/doc/") // its links count from docs/reference, where it is shown
		if !strings.HasSuffix(page, ".md") || isManual {
			return nil
		}
		for _, link := range linksOf(t, page) {
			links++
			if why := brokenLink(t, page, link); why != "" {
				t.Errorf("%s: the link to %s is broken: %s", page, link, why)
			}
		}
		return nil
	})
	if err != nil || links < 200 {
		t.Errorf("%d links were checked, want 200 (%v)", links, err)
	}
}

// linksOf lists the links of a page to files, or to headings of its own.
func linksOf(t *testing.T, page string) []string {
	t.Helper()
	text := mdCode.ReplaceAllString(prose(t, page), "`")
	var links []string
	for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
		if target, err := url.Parse(m[1]); err != nil || target.Scheme == "" && target.Host == "" {
			links = append(links, m[1])
		}
	}
	return links
}

// prose returns the text of a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return mdFence.ReplaceAllString(string(text), "")
}

// brokenLink says why a link of a page leads nowhere; empty if it does not.
func brokenLink(t *testing.T, page, link string) string {
	t.Helper()
	path, anchor, _ := strings.Cut(link, "#")
	target := page
	if path != "" {
		target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
	}
	if _, err := os.Stat(target); err != nil {
		return err.Error()
	}
	if anchor == "" || !strings.HasSuffix(target, ".md") {
		return ""
	}
	for _, m := range mdHeading.FindAllStringSubmatch(prose(t, target), -1) {
		if anchorOf(m[1]) == anchor {
			return ""
		}
	}
	return "there is no such heading"
}

// anchorOf returns the anchor of a heading, as forges make it.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

func TestBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	const text = "# A title, `code`\n\n[a](page.md) [b](#a-title-code) [c](nope.md) [d](page.md#nope) `[e](code.md)` [f](https://example.com/x)\n\n```\n[g](fence.md)\n```\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, link := range linksOf(t, page) {
		if brokenLink(t, page, link) != "" {
			broken = append(broken, link)
		}
	}
	if got := strings.Join(broken, " "); got != "nope.md page.md#nope" {
		t.Errorf("broken links: %s, want nope.md page.md#nope", got)
	}
}
