package tdtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/tinylib/msgp/msgp"
)

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form := formOf(r, body)
	call := r.Method + " " + r.URL.EscapedPath()
	s.mu.Lock()
	s.seen = append(s.seen, Request{Call: call, Form: form, Body: string(body), Header: r.Header.Clone()})
	s.mu.Unlock()
	if s.Before != nil && !s.Before(r) {
		panic(http.ErrAbortHandler)
	}
	fault := s.fault(call)
	if fault != nil && !fault.Handled && !fault.Cut {
		s.fail(w, r, fault)
		return
	}
	answer := httptest.NewRecorder()
	s.handle(answer, r, form)
	if s.Answered != nil && !s.Answered(r) {
		panic(http.ErrAbortHandler)
	}
	switch {
	case fault == nil:
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	case fault.Cut:
		w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		s.fail(w, r, fault)
	}
}

func (*Service) fail(w http.ResponseWriter, r *http.Request, f *Fault) {
	switch {
	case f.Break:
		panic(http.ErrAbortHandler)
	case f.Stall:
		<-r.Context().Done()
		return
	}
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	if f.Status != 0 {
		w.WriteHeader(f.Status)
	}
	_, _ = io.WriteString(w, f.Body)
}

// formOf returns what a request says, wherever it says it.
func formOf(r *http.Request, body []byte) url.Values {
	form := url.Values{}
	maps.Copy(form, r.URL.Query())
	if fields, err := url.ParseQuery(string(body)); err == nil && strings.Contains(r.Header.Get("Content-Type"), "form") {
		maps.Copy(form, fields)
	}
	var object map[string]any
	if json.Unmarshal(body, &object) == nil {
		for name, value := range object {
			text, isText := value.(string)
			if !isText {
				data, _ := json.Marshal(value)
				text = string(data)
			}
			form.Set(name, text)
		}
	}
	return form
}

func (s *Service) handle(w http.ResponseWriter, r *http.Request, form url.Values) {
	if key := strings.TrimPrefix(r.Header.Get("Authorization"), "TD1 "); s.Key != "" && key != s.Key {
		refuse(w, http.StatusUnauthorized, "API key is invalid")
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case strings.HasPrefix(r.URL.Path, "/v3/job/status/"):
		s.status(w, parts[3])
	case strings.HasPrefix(r.URL.Path, "/v3/job/show/"):
		s.show(w, parts[3])
	case strings.HasPrefix(r.URL.Path, "/v3/job/result/"):
		s.result(w, parts[3])
	case strings.HasPrefix(r.URL.Path, "/v3/job/kill/"):
		if !s.kill(parts[3]) {
			refuse(w, http.StatusNotFound, "Job not found")
		}
	case r.URL.Path == "/v3/connections/lookup":
		_, _ = io.WriteString(w, `{"id": 9, "name": "c"}`)
	case strings.HasPrefix(r.URL.Path, "/v3/table/") && parts[2] != "partialdelete", strings.HasPrefix(r.URL.Path, "/v3/database/"):
		s.schema(w, parts)
	default:
		s.issue(w, form)
	}
}

func (s *Service) issue(w http.ResponseWriter, form url.Values) {
	job, conflict := s.begin(form)
	if conflict {
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(w, `{"error":"conflict","text":"domain key is in use","details":{"conflicts_with":%s}}`, job.ID)
		return
	}
	_, _ = fmt.Fprintf(w, `{"job_id":%q}`, job.ID)
}

func (s *Service) status(w http.ResponseWriter, id string) {
	job := s.look(id, true)
	if job == nil {
		refuse(w, http.StatusNotFound, "Couldn't find Job with id = "+id)
		return
	}
	_, _ = fmt.Fprintf(w, `{"job_id":%q,"status":%q,"duration":3}`, id, job.Status)
}

func (s *Service) show(w http.ResponseWriter, id string) {
	job := s.look(id, false)
	if job == nil {
		refuse(w, http.StatusNotFound, "Couldn't find Job with id = "+id)
		return
	}
	schema, _ := json.Marshal(s.Columns)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"job_id": id, "status": job.Status, "hive_result_schema": string(schema), "num_records": len(s.Rows),
		"debug": map[string]any{"cmdout": s.Output, "stderr": s.Errors},
	})
}

func (s *Service) result(w http.ResponseWriter, id string) {
	if s.look(id, false) == nil || s.Rows == nil {
		refuse(w, http.StatusNotFound, "no result")
		return
	}
	_, _ = w.Write(Pack(s.Rows))
}

// Pack returns rows as the service sends them: each as MessagePack, all together compressed.
func Pack(rows [][]any) []byte {
	var packed []byte
	for _, row := range rows {
		packed = msgp.AppendArrayHeader(packed, uint32(len(row))) //nolint:gosec // rows of tests
		for _, value := range row {
			var err error
			if packed, err = msgp.AppendIntf(packed, value); err != nil {
				panic(err)
			}
		}
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(packed)
	_ = z.Close()
	return b.Bytes()
}
