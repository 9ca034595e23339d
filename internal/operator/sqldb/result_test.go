package sqldb_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

// typed is a row of many types.
const typed = `SELECT 1::smallint AS s, 2 AS i, 3::bigint AS l, 5::real AS r, 1e20::real AS r2, 0.1::double precision AS d, 1e-5::double precision AS d2,
 'NaN'::double precision AS nan, 1.50::numeric AS n, 0.00000010::numeric AS small, true AS b, 'text' AS t, NULL::text AS nul, '' AS empty, 'c'::char(3) AS c,
 date '2016-01-02' AS da, timestamp '2016-01-02 03:04:05' AS ts, timestamp '2016-01-02 03:04:05.12' AS ts2, time '03:04:05.6' AS ti,
 '{"a": 1}'::json AS j, interval '1 year 2 days 03:04:05.5' AS iv, ARRAY[1,NULL] AS a, '00000000-0000-0000-0000-000000000001'::uuid AS u,
 12345678901234567890123456789012345678901234567890::numeric AS huge, '\xff00'::bytea AS by, B'1' AS bit, B'101' AS bits, '1.2.3.4'::inet AS ip, 5.5::float4::text::money AS m,
 'infinity'::timestamp AS inf`

func TestDownload(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	f := p.task(t, strings.Replace(typed, "'text'", `E'a "b",\r\nc\rd' `, 1), "download_file", "sub/../out.csv")
	mustRun(t, f)
	want := "s,i,l,r,r2,d,d2,nan,n,small,b,t,nul,empty,c,da,ts,ts2,ti,j,iv,a,u,huge,by,bit,bits,ip,m,inf\r\n" +
		`1,2,3,5.0,1.0E20,0.1,1.0E-5,NaN,1.50,1.0E-7,true,"a ""b"",` + "\n" + `c` + "\n" + `d",,"",c  ,2016-01-02,2016-01-02 03:04:05.0,2016-01-02 03:04:05.12,03:04:05,` +
		`"{""a"": 1}",1 years 0 mons 2 days 3 hours 4 mins 5.5 secs,"{1,NULL}",00000000-0000-0000-0000-000000000001,` +
		`12345678901234567890123456789012345678901234567890,\xff00,true,101,1.2.3.4,5.5,infinity` + "\r\n"
	if diff := cmp.Diff(want, read(t, f, "out.csv")); diff != "" {
		t.Errorf("out.csv (-want +got):\n%s", diff)
	}
	if got := names(t, f.Project); len(got) != 1 {
		t.Errorf("files = %q, want out.csv alone", got)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	got := mustRun(t, p.task(t, typed, "store_last_results", true))
	want := `{"pg":{"last_results":{"s":1,"i":2,"l":3,"r":5.0,"r2":1.0E20,"d":0.1,"d2":1.0E-5,"nan":"NaN","n":1.5,"small":1.0E-7,"b":true,"t":"text","nul":null,"empty":"","c":"c  ",` +
		`"da":1451692800000,"ts":1451703845000,"ts2":1451703845120,"ti":"03:04:05","j":{"type":"json","value":"{\"a\": 1}","null":true},` +
		`"iv":{"type":"interval","value":"1 years 0 mons 2 days 3 hours 4 mins 5.5 secs","null":true,"years":1,"months":0,"days":2,"hours":3,"minutes":4,"seconds":5.5,"wholeSeconds":5,"microSeconds":500000},` +
		`"a":[1,null],"u":"00000000-0000-0000-0000-000000000001","huge":12345678901234567890123456789012345678901234567890,"by":"/wA=","bit":true,` +
		`"bits":{"type":"bit","value":"101","null":true},"ip":{"type":"inet","value":"1.2.3.4","null":true},"m":5.5,"inf":"infinity"}}}`
	if diff := cmp.Diff(want, param.JSON(got)); diff != "" {
		t.Errorf("the stored row (-want +got):\n%s", diff)
	}
}

func TestStoreArrays(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	got := mustRun(t, p.task(t, `SELECT ARRAY[[1,2],[3,4]] AS two, ARRAY['a,b', 'q"\', NULL, 'NULL', ''] AS t, '{}'::int[] AS none, '[2:3]={5,6}'::int[] AS bound, ARRAY['{"a":1}'::jsonb] AS j`, "store_last_results", "first"))
	want := `{"pg":{"last_results":{"two":[[1,2],[3,4]],"t":["a,b","q\"\\",null,"NULL",""],"none":[],"bound":[5,6],"j":[{"type":"jsonb","value":"{\"a\": 1}","null":true}]}}}`
	if diff := cmp.Diff(want, param.JSON(got)); diff != "" {
		t.Errorf("the stored row (-want +got):\n%s", diff)
	}
}

// A file in a copy of the project is gone after the task, whose log says so.
func TestDownloadIntoCopy(t *testing.T) {
	t.Parallel()
	for _, copied := range []bool{false, true} {
		f := postgresPlace(t).task(t, "SELECT 1", "download_file", "out.csv")
		var log bytes.Buffer
		f.Request.Log = slog.New(slog.NewTextHandler(&log, nil))
		if copied {
			f.Request.Files = func(context.Context) (string, error) { return f.Project, nil }
		}
		mustRun(t, f)
		if got := strings.Contains(log.String(), "the file is gone after this task"); got != copied {
			t.Errorf("copied = %v, the log: %s", copied, &log)
		}
	}
}

// A connection that breaks in the middle of a download leaves nothing, and keeps what was there.
func TestDownloadCut(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	cut := newRelay(t, p)
	cut.breakAfter(1 << 20)
	f := p.task(t, "SELECT repeat('x', 100) FROM generate_series(1, 100000)", "download_file", "out.csv", "port", cut.port)
	f.File("out.csv", "old")
	if got := mustFail(t, f); !strings.HasPrefix(got, "Failed to execute given SELECT statement [the connection to the server was lost") {
		t.Errorf("the error = %s", got)
	}
	if got := names(t, f.Project); len(got) != 1 || read(t, f, "out.csv") != "old" {
		t.Errorf("files = %q, want the old out.csv alone", got)
	}
}

// What is no UTF-8 is told by the server, or passed on as it is.
func TestEncodings(t *testing.T) {
	t.Parallel()
	p := postgresPlace(t)
	if got := mustFail(t, p.task(t, "SELECT convert_from('\\xff', 'UTF8')", "store_last_results", true)); !strings.Contains(got, "invalid byte sequence for encoding") {
		t.Errorf("the error = %s", got)
	}
	if got := mustFail(t, p.task(t, "SELECT '\xff'", "store_last_results", true)); !strings.Contains(got, "invalid byte sequence for encoding") {
		t.Errorf("the error = %s", got)
	}
	f := p.task(t, "SELECT 'ä€😀' AS \"größe, in \"\"m\"\"\"", "download_file", "out.csv")
	mustRun(t, f)
	if got, want := read(t, f, "out.csv"), "\"größe, in \"\"m\"\"\"\r\nä€😀\r\n"; got != want {
		t.Errorf("out.csv = %q, want %q", got, want)
	}
}
