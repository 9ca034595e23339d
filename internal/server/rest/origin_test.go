package rest

import "testing"

// Every form of a Host header of this machine or of an allowed name is accepted. Similar names are not.
func TestNames(t *testing.T) {
	t.Parallel()
	names := HostNames{"127.0.0.1", "::1", "", "Trowel.Example.com", "build_host"}
	for host, want := range map[string]bool{
		"localhost": true, "localhost:65432": true, "LocalHost:1": true, "localhost.": true, "localhost.:80": true, "localhost:": true,
		"127.0.0.1": true, "127.0.0.1:65432": true, "192.168.1.5:80": true, "0.0.0.0": true, "127.0.0.1.": true,
		"[::1]": true, "[::1]:65432": true, "[::ffff:127.0.0.1]": true, "[FE80::1]:80": true,
		"trowel.example.com": true, "TROWEL.example.com.:8443": true, "build_host:80": true,

		"": false, ":": false, ":65432": false, ".": false, ".:80": false,
		"evil.example.com": false, "evil.example.com:65432": false, "example.com": false, "a.trowel.example.com": false, "trowel.example.com..": false,
		"localhost.evil.example.com": false, "127.0.0.1.evil.example.com": false, "127.0.0.1.nip.io": false, "evil.localhost": false, "xlocalhost": false,
		"localhost:80:80": false, "localhost:evil.example.com": false, "evil.example.com:80@localhost": false, "localhost@evil.example.com": false,
		"0": false, "127.1": false, "2130706433": false, "0x7f.0.0.1": false, "0177.0.0.1": false, "127.0.0.01": false, "1.2.3.4.5": false,
		"::1": false, "[::1": false, "[::1]evil": false, "[::1]:x": false, "[localhost]": false, "[127.0.0.1]": false, "[]": false, "[": false,
		"localhost,evil.example.com": false, "localhost/": false, "localhost\x20": false, "trowel.example.com\x00": false,
	} {
		if got := names.has(host); got != want {
			t.Errorf("has(%q) = %v, want %v", host, got, want)
		}
	}
	if !HostNames(nil).has("evil.example.com") || !HostNames(nil).has("") {
		t.Error("without names some are refused")
	}
	if (HostNames{}).has("evil.example.com") {
		t.Error("an empty list has a name")
	}
}
