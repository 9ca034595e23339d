// Package api has the JSON shapes of the REST API, version 1: what a server answers and what a client
// sends, field by field in Digdag's order (server 2.2, 2.3). It has no behaviour beyond reading and
// writing JSON, and knows neither HTTP nor the domain.
//
// Optional fields are written as null, never left out. Lists are of type List, so that none is
// written as null. Fields of type *param.Map must not be nil unless their comment says that they are optional.
//
// Callers that write JSON must turn off the escaping of <, > and & (json.Encoder.SetEscapeHTML), as Digdag
// does not escape them. Requests are read strictly where Digdag is strict and leniently where it is
// lenient; see reading.
package api
