import type { IdName } from "./operate";

/** Shapes of projects, their revisions, files and workflows, as far as pages use them. */

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archiveType: string;
  readonly archiveMd5: string | null; // in Base64
}

export interface Revision {
  readonly revision: string;
  readonly createdAt: string;
  readonly archiveType: string;
  readonly userInfo: Readonly<Record<string, unknown>>;
}

export interface Definition {
  readonly id: string;
  readonly name: string;
  readonly project: IdName;
  readonly revision: string;
  readonly timezone: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ProjectFile {
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly mode: string;
  readonly md5: string | null;
  readonly binary: boolean;
  readonly target: string | null;
}

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: string;
  readonly message: string;
  readonly hint?: string;
}

export interface ValueDiff {
  readonly from: string | null;
  readonly to: string | null;
}

export interface TaskDiff {
  readonly task: string;
  readonly status: string;
  readonly keys: readonly (ValueDiff & { readonly key: string })[];
  readonly place: string | null;
}

export interface WorkflowDiff {
  readonly name: string;
  readonly status: string;
  readonly schedule: ValueDiff | null;
  readonly timezone: ValueDiff | null;
  readonly tasks: readonly TaskDiff[];
  readonly taskCount: number;
}

export interface FileDiff {
  readonly path: string;
  readonly oldPath: string | null;
  readonly status: string;
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
}

export interface RevisionDiff {
  readonly from: string;
  readonly to: string;
  readonly files: readonly FileDiff[];
  readonly fileCount: number;
  readonly workflows: readonly WorkflowDiff[];
}

/** A place as findings and tasks have it, file:line:column. */
export function readPlace(place: string): { readonly file: string; readonly line: string } | undefined {
  const found = /^(.+):(\d+):(\d+)$/.exec(place);
  return found?.[1] && found[2] ? { file: found[1], line: found[2] } : undefined;
}

/** A size in a unit that is easy to read. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  for (const [unit, size] of [
    ["kB", 1e3],
    ["MB", 1e6],
    ["GB", 1e9],
  ] as const) {
    const n = bytes / size;
    if (n < 999.5) return `${n < 9.95 ? n.toFixed(1) : Math.round(n)} ${unit}`;
  }
  return `${Math.round(bytes / 1e12)} TB`;
}

/** A sum as hexadecimal digits, from Base64. */
export function hexOf(base64: string): string {
  return [...atob(base64)].map((char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** The first lines of the schedule of a workflow, as it is written. */
export function scheduleText(config: Readonly<Record<string, unknown>>): string {
  const schedule = config.schedule;
  if (typeof schedule !== "object" || schedule === null) return "";
  return Object.entries(schedule)
    .filter(([key]) => key.endsWith(">"))
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
