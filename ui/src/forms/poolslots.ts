/** Reads a number of slots as people write it; -1 is no limit. Undefined for anything else. */
export function slotsOf(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === "unlimited" || word === "-1") return -1;
  return /^\d{1,9}$/.test(word) ? Number(word) : undefined;
}

export function slotsText(slots: number): string {
  return slots < 0 ? "unlimited" : String(slots);
}

export function slotsWords(slots: number): string {
  if (slots < 0) return "no limit";
  return slots === 1 ? "1 slot" : `${slots} slots`;
}
