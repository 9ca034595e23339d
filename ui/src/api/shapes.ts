/** What the server answers, as far as pages use it. */

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface AttemptItem {
  readonly id: string;
  readonly index: number;
  readonly status: string;
  readonly project: { readonly id: string; readonly name: string };
  readonly workflow: { readonly id: string | null; readonly name: string };
  readonly sessionId: string;
  readonly sessionTime: string;
  readonly retryAttemptName: string | null;
  readonly done: boolean;
  readonly success: boolean;
  readonly cancelRequested: boolean;
  readonly params: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** The status of an attempt in one word: one that was asked to stop and still runs is killing. */
export function statusOf(attempt: Pick<AttemptItem, "status" | "done" | "cancelRequested">): string {
  return !attempt.done && attempt.cancelRequested ? "killing" : attempt.status;
}
