/**
 * The shape of each state on a grid of 16, by its letter. They are filled by the rule of even and odd, so a shape inside another
 * one is cut out of it. SVG and canvas draw the same.
 */
const disc = "M8 1a7 7 0 1 1 0 14A7 7 0 1 1 8 1Z";
const hole = "M8 2.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 1 1 8 2.6Z";
const ring = disc + hole;
const small = "M8 4a4 4 0 1 1 0 8A4 4 0 1 1 8 4ZM8 5.4a2.6 2.6 0 1 1 0 5.2A2.6 2.6 0 1 1 8 5.4Z";
const cross = "M5 3.9 8 6.9 11 3.9 12.1 5 9.1 8 12.1 11 11 12.1 8 9.1 5 12.1 3.9 11 6.9 8 3.9 5Z";
const half = `${disc}M8 2.6a5.4 5.4 0 0 0 0 10.8Z`;

export const shapes: Readonly<Record<string, string>> = {
  s: `${disc}M3.9 8.3 5.1 7.1 7 9 10.9 4.9 12.1 6.1 7.1 11.4Z`,
  e: `M1.5 1.5h13v13h-13Z${cross}`,
  E: `M1.5 1.5h13v13h-13ZM2.9 2.9v10.2h10.2V2.9Z${cross}`,
  r: half,
  x: `${half}M2.4 12.4 12.4 2.4 13.6 3.6 3.6 13.6Z`,
  q: `${ring}M8 5.6a2.4 2.4 0 1 1 0 4.8A2.4 2.4 0 1 1 8 5.6Z`,
  w: `${ring}M4.6 7.2h3V5L11.4 8 7.6 11V8.8h-3Z`,
  W: `M8 .4a7.6 7.6 0 1 1 0 15.2A7.6 7.6 0 1 1 8 .4ZM8 1.6a6.4 6.4 0 1 1 0 12.8A6.4 6.4 0 1 1 8 1.6ZM8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 1 1 8 2.8ZM8 4a4 4 0 1 1 0 8A4 4 0 1 1 8 4ZM5.6 7.4H8V5.8L10.6 8 8 10.2V8.6H5.6Z`,
  d: `${ring}M7.3 4h1.4v3.6l2.6 1.6-.8 1.2L7.3 8.4Z`,
  a: "M8 .5 15.5 8 8 15.5.5 8ZM5.9 6.4a2.1 2.1 0 1 1 3 1.9q-.3.2-.3.6v.3H7.3v-.6q0-.9.9-1.4a.8.8 0 1 0-1-.8ZM7.2 10.1h1.5v1.5H7.2Z",
  p: `${disc}M2.6 8a5.4 5.4 0 0 1 10.8 0Z`,
  b: small,
  n: `${small}M2.6 12.4 12.4 2.6 13.4 3.6 3.6 13.4Z`,
  c: "M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1ZM4 7.1v1.8h8V7.1Z",
  k: "M2 3h2.6l4 5-4 5H2l4-5ZM8 3h2.6l4 5-4 5H8l4-5Z",
  m: "M2 2h4v1.4H3.4V6H2ZM10 2h4v4h-1.4V3.4H10ZM14 10v4h-4v-1.4h2.6V10ZM2 10h1.4v2.6H6V14H2Z",
  ".": "",
};
