package digdag

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // Digdag's checksum, not for secrecy
)

const (
	ofArchives = ` FROM revision_archives f JOIN revisions r ON r.id = f.id JOIN projects p ON p.id = r.project_id
WHERE p.site_id = $1 AND r.archive_type = 'db'`
	sqlCountArchives = `SELECT count(*)` + ofArchives
	sqlListArchives  = `SELECT r.id, r.project_id, r.name, r.archive_md5, f.archive_data` + ofArchives + ` ORDER BY r.id`
)

// comparedArchives is how many archives are read again and compared, if there are so many.
const comparedArchives = 100

// checksum is the MD5 that an archive had in Digdag's database.
type checksum struct {
	key string
	sum [md5.Size]byte
}

// files copies the archives that are in Digdag's database, one at a time.
func (c *copying) files(ctx context.Context, done func(int)) error {
	every := max(1, c.archives/comparedArchives)
	n, wrong := int64(0), 0
	err := c.source.rows(ctx, sqlListArchives, []any{c.opts.Site}, func(scan func(...any) error) error {
		var revision, project int64
		var name string
		var stored, data []byte
		if err := scan(&revision, &project, &name, &stored, &data); err != nil {
			return err
		}
		if err := c.opts.Archives.Put(ctx, c.target.Tx, archiveKey(project, revision), data); err != nil {
			return err
		}
		sum := md5.Sum(data) //nolint:gosec // as above
		if len(stored) > 0 && !bytes.Equal(sum[:], stored) {
			if wrong++; wrong <= shownWarnings {
				c.warn("the archive of revision %q of project %d was not what its MD5 says, in Digdag's database already", name, project)
			}
		}
		if n%every == 0 {
			c.sums = append(c.sums, checksum{archiveKey(project, revision), sum})
		}
		n++
		done(1)
		return nil
	})
	if err == nil && wrong > shownWarnings {
		c.warn("%d archives in all were not what their MD5 says", wrong)
	}
	return err
}

// shownWarnings is the largest number of warnings of one kind.
const shownWarnings = 20
