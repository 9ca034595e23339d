// Package archive makes and reads project archives: gzip-compressed tar files with the files of a
// project (server chapter 4). Archives from strangers are read within limits, and nothing, not even a link,
// is written outside of one folder. The package does not read workflows. Package dig does, from the files that
// Inspect finds.
//
// Pack makes an archive of a folder, Inspect checks one that is uploaded, and Unpack writes its files.
// Workspaces gives each try of an agent a Workspace, from a cache of the files of revisions.
package archive
