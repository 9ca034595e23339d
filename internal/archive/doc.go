// Package archive makes and reads project archives: gzip-compressed tar files with the files of a
// project (server chapter 4). What strangers wrote is read within limits and written inside one
// folder only, links included. It does not read workflows; package dig does, from the files that
// Inspect finds.
//
// Pack makes an archive of a folder, Inspect checks one that is uploaded, Unpack writes its files.
// Cache keeps the files of revisions for the tries of an agent, each of which gets a Workspace.
package archive
