import type { Counts, Estimate } from "./attempt";
import type { AttemptItem } from "./shapes";

/** What the server answers about what a person needs to know first. */

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Overview {
  readonly health: Health;
  readonly needsYou: readonly Need[];
  readonly failures: readonly Failure[];
  readonly late: readonly Late[];
  readonly running: readonly RunningItem[];
  readonly waiting: readonly WaitingCount[];
  readonly upcoming: readonly Upcoming[];
  readonly counts: { readonly runningTasks: number; readonly readyTasks: number; readonly waitingAttempts: number };
}

export interface Health {
  readonly ok: boolean;
  readonly parts?: readonly { readonly name: string; readonly ok: boolean; readonly since: string; readonly message: string | null }[];
  readonly agents?: { readonly live: number; readonly late: number; readonly dead: number } | null;
  readonly lag: { readonly p50Ms: number | null; readonly p99Ms: number | null; readonly oldestReadyMs: number | null };
}

export interface Need {
  readonly kind: string;
  readonly text: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly path: string | null; // of the document in the API
}

export interface Failure {
  readonly cause: string;
  readonly kind: string | null;
  readonly message: string;
  readonly operator: string | null;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  readonly isNew: boolean;
  readonly recovered: boolean;
  readonly sample: {
    readonly attemptId: string;
    readonly taskId: string;
    readonly taskName: string;
    readonly project: Named;
    readonly workflow: string;
    readonly sessionTime: string;
    readonly logTail: readonly string[];
  };
  readonly attemptCount: number;
}

export interface Late {
  readonly kind: string;
  readonly project: Named;
  readonly workflow: string;
  readonly sessionTime: string | null;
  readonly expectedAt: string;
  readonly marginMs: number;
  readonly attemptId: string | null;
  readonly scheduleId: string | null;
  readonly reason: string;
}

export interface RunningItem extends AttemptItem {
  readonly counts: Counts;
  readonly estimate: (Estimate & { readonly late: boolean }) | null;
}

export interface WaitingCount {
  readonly code: string;
  readonly arg: string;
  readonly count: number;
}

export interface Upcoming {
  readonly scheduleId: string;
  readonly project: Named;
  readonly workflow: string;
  readonly sessionTime: string;
  readonly runTime: string;
  readonly expectedMs: number | null;
}
