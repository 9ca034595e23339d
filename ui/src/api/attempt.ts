import type { AttemptItem } from "./shapes";

/** What the server answers about an attempt and its tasks. */

export type Counts = Readonly<Record<string, number>>;

export interface Reason {
  readonly code: string | null;
  readonly text: string;
  readonly since: string | null;
}

export interface TreeItem {
  readonly id: string | null; // null for a task that is yet to be made
  readonly name: string;
  readonly fullName: string;
  readonly parentId: string | null;
  readonly depth: number;
  readonly index: number; // its place among its siblings
  readonly kind: "group" | "operator" | "generated" | "planned";
  readonly operator: string | null;
  readonly state: string;
  readonly canceling: boolean;
  readonly try: number;
  readonly readyAt: string | null;
  readonly claimedAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly retryAt: string | null;
  readonly children: number;
  readonly toMake: number;
  readonly counts: Counts | null;
  readonly agent: string | null;
  readonly reason: Reason | null;
  readonly hasLog: boolean;
  readonly reused: boolean;
  readonly matches: boolean;
  readonly file: string | null;
  readonly line: number | null;
}

export interface TreePage {
  readonly items: readonly TreeItem[];
  readonly next: string | null;
  readonly total: { readonly value: number; readonly exact: boolean };
  readonly version: number;
  readonly status: string;
  readonly tasks: number;
}

export interface RootCause {
  readonly taskId: string;
  readonly taskName: string;
  readonly operator: string | null;
  readonly try: number;
  readonly at: string;
  readonly tasks: number;
  readonly handler: boolean;
  readonly error: { readonly message: string; readonly kind: string | null };
  readonly logTail: readonly string[];
  readonly cause: string | null;
  readonly sameCause: number;
}

export interface SessionAttempt {
  readonly id: string;
  readonly index: number;
  readonly name: string | null;
  readonly status: string;
  readonly kind: string;
  readonly createdAt: string;
}

export interface AttemptSummary extends AttemptItem {
  readonly version: number;
  readonly revision: string;
  readonly latestRevision: string | null;
  readonly workflowTimezone: string;
  readonly startedBy: { readonly kind: string; readonly name: string };
  readonly queuedMs: number;
  readonly runMs: number;
  readonly tasks: number;
  readonly counts: Counts;
  readonly rootCauses: readonly RootCause[];
  readonly estimate: Estimate | null;
  readonly previousSuccess: { readonly id: string; readonly sessionTime: string } | null;
  readonly retries: readonly SessionAttempt[];
  readonly can: readonly string[];
}

export interface Estimate {
  readonly p10At: string;
  readonly p50At: string;
  readonly p90At: string;
  readonly samples: number;
}

export interface TaskTry {
  readonly try: number;
  readonly agent: string | null;
  readonly readyAt: string | null;
  readonly claimedAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly exit: string;
  readonly lastLines: readonly string[];
  readonly links: readonly TaskLink[];
  readonly usage: Usage | null;
}

export interface TaskLink {
  readonly name: string;
  readonly url: string;
}

export interface Usage {
  readonly peakMemoryBytes?: number;
  readonly cpuTimeMs?: number;
  readonly bytesWritten?: number;
}

export type Values = Readonly<Record<string, unknown>>;

export interface TaskDetail {
  readonly id: string;
  readonly fullName: string;
  readonly config: Values;
  readonly exportParams: Values;
  readonly storeParams: Values;
  readonly stateParams: Values;
  readonly isGroup: boolean;
  readonly error: { readonly message?: string; readonly stacktrace?: string };
  readonly stateDetail: string;
  readonly place: string | null;
  readonly try: number;
  readonly readyAt: string | null;
  readonly claimedAt: string | null;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly agent: string | null;
  readonly effective: {
    readonly queue: string;
    readonly labels: readonly string[];
    readonly pools: readonly { readonly name: string; readonly slots: number }[];
    readonly priorityWeight: number;
  } | null;
  readonly tries: readonly TaskTry[];
  readonly links: readonly TaskLink[];
  readonly usage: Usage | null;
}

export interface TaskRef {
  readonly id: string;
  readonly name: string;
}

export interface Why {
  readonly code: string | null;
  readonly text: string;
  readonly since: string | null;
  readonly state: string;
  readonly next: { readonly at: string | null };
  readonly reasons: readonly Reason[];
  readonly chain: readonly { readonly attempt: string; readonly task: TaskRef | null; readonly state: string; readonly reason: Reason }[];
  readonly blockers: readonly { readonly kind: string; readonly id: string; readonly name: string; readonly detail: string }[];
  readonly offers: readonly { readonly action: string; readonly label: string; readonly allowed: boolean }[];
}

export interface RetryTasks {
  readonly count: number;
  readonly byState: Counts;
  readonly items: readonly { readonly fullName: string; readonly isGroup: boolean; readonly state: string | null }[];
}

export interface Retry {
  readonly attempt: AttemptItem | null;
  readonly revision: string;
  readonly run: RetryTasks;
  readonly reuse: RetryTasks;
  readonly warnings: readonly string[];
  readonly expect: string;
}

/** What a stream says about tasks that changed. */
export interface TasksFrame {
  readonly rows: readonly {
    readonly id: string;
    readonly state: string;
    readonly try: number;
    readonly startedAt: string | null;
    readonly finishedAt: string | null;
    readonly reason: string | null;
  }[];
  readonly stale: readonly string[];
}
