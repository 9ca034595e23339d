// Package transfer takes the files of a command to a machine that does not have them, and back, over an object store
// (operators 4.4 to 4.6). It is what the command executors "ecs" and "kubernetes" share.
//
// Upload packs the project with the files of the run. The machine downloads that archive, and uploads what it leaves in
// .digdag/tmp, with signed URLs. Download writes that into the project. Signed URLs are secrets: they stand in no log, error
// or state.
package transfer
