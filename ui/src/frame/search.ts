/** Reads the query of an address. All values are texts, as people write them. */
export function readSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes the query of an address. What may stand in it as it is stays readable. */
export function writeSearch(values: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== "string" || value === "") continue;
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value).replace(/%(3A|2F|2C|40)/g, decodeURIComponent)}`);
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
