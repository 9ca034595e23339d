import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { sql } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";

export function languageOf(path: string): Extension {
  if (/\.sql$/i.test(path)) return sql();
  return /\.py$/i.test(path) ? python() : json();
}
