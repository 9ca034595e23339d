/** A parameter as it is typed in a form. */
export interface Pair {
  readonly key: string;
  readonly value: string;
}

export type Values = Readonly<Record<string, unknown>>;

/** Values that every session has, so that nobody needs to give them. */
const built =
  /^(session_|last_session_|next_session_|last_executed_session_|timezone$|task_name$|attempt_id$|session_id$|session_uuid$|project_id$|moment$|JSON$|Math$|Date$|error\b|i$|key$|value$|item$|td$|secret$)/;

/** The names that a workflow's text uses in ${...} and does not give itself. */
export function usedNames(source: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name = ""] of source.matchAll(/\$\{\s*([A-Za-z_]\w*)/g)) if (!built.test(name)) names.add(name);
  const given = new Set<string>();
  for (const [, name = ""] of source.matchAll(/^\s+([A-Za-z_]\w*)\s*:/gm)) given.add(name);
  return [...names].filter((name) => !given.has(name)).sort();
}

/** Values as a person types them in a form. Texts stand as they are, everything else as JSON. */
export function pairsOf(values: Values): readonly Pair[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: typeof value === "string" ? value : JSON.stringify(value) }));
}

export interface Parsed {
  readonly values: Values;
  readonly wrong: Readonly<Record<number, string>>; // by the place of the pair
}

/** The values that pairs stand for. Numbers, true, false, null, lists and objects are read as JSON; everything else is text. */
export function valuesOf(pairs: readonly Pair[]): Parsed {
  const values: Record<string, unknown> = {};
  const wrong: Record<number, string> = {};
  pairs.forEach(({ key, value }, i) => {
    const name = key.trim();
    if (name === "") {
      if (value !== "") wrong[i] = "A name is needed";
      return;
    }
    if (Object.hasOwn(values, name)) wrong[i] = `${name} is there twice`;
    Object.defineProperty(values, name, { value: typedValue(value), enumerable: true, configurable: true, writable: true });
  });
  return { values, wrong };
}

function typedValue(text: string): unknown {
  if (!/^\s*(-?\d|true$|false$|null$|[[{])/.test(text.trim())) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "number" && (!Number.isFinite(value) || String(value) !== text.trim())) return text;
    return value;
  } catch {
    return text;
  }
}

/** Reads an object of JSON, or says what is wrong with it. */
export function readJson(text: string): { readonly values?: Values; readonly wrong?: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { wrong: "An object is needed: { ... }" };
    return { values: value as Values };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
