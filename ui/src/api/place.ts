/** The path of the UI's root, with a slash at its end. The server writes it as a relative <base>, which the browser resolves once. */
export const root = new URL(document.baseURI).pathname;

/** The address of a path of the server, as "api/attempts/1". */
export function addressOf(path: string): string {
  return root + path.replace(/^\//, "");
}
