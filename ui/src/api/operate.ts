/** Shapes of schedules, pools, queues, agents, tokens and the audit, as far as pages use them. */

export interface IdName {
  readonly id: string;
  readonly name: string;
}

export interface Schedule {
  readonly id: string;
  readonly project: IdName;
  readonly workflow: IdName;
  readonly nextRunTime: string;
  readonly nextScheduleTime: string;
  readonly disabledAt: string | null;
}

export interface ScheduledRun {
  readonly sessionTime: string;
  readonly runTime: string;
  readonly local: string;
  readonly shift: string | null;
}

export interface ScheduledRuns {
  readonly timezone: string;
  readonly disabled: boolean;
  readonly items: readonly ScheduledRun[];
}

export interface Decision {
  readonly at: string;
  readonly sessionTime: string;
  readonly runTime: string;
  readonly decision: string;
  readonly text: string;
  readonly attempt: string | null;
  readonly code: string | null;
}

export interface Offer {
  readonly action: string;
  readonly label: string;
  readonly allowed: boolean;
}

export interface SessionWhy {
  readonly code: string | null;
  readonly text: string;
  readonly since: string | null;
  readonly sessionTime: string;
  readonly attempt: string | null;
  readonly next: { readonly at: string | null };
  readonly offers: readonly Offer[];
}

export interface Pool {
  readonly id: string;
  readonly name: string;
  readonly project: IdName | null;
  readonly slots: number;
  readonly used: number;
  readonly open: number | null;
  readonly waiting: number;
  readonly deferred: number;
  readonly includeDeferred: boolean;
  readonly oldestWaitMs: number | null;
  readonly description: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  readonly expect: string;
  readonly can: readonly string[];
}

export interface PoolTask {
  readonly id: string;
  readonly fullName: string;
  readonly attemptId: string;
  readonly project: IdName;
  readonly workflow: string;
  readonly state: string;
  readonly slots: number;
  readonly weight: number;
  readonly queue: string;
  readonly readyAt: string;
  readonly startedAt: string | null;
  readonly agent: string | null;
  readonly position: number | null;
  readonly expectedAt: string | null;
}

export interface PoolChange {
  readonly pool: Pool;
  readonly action: string;
  readonly expect: string;
  readonly startable: number;
  readonly notes: readonly string[];
}

export interface PoolStep {
  readonly at: string;
  readonly slots: number | null;
  readonly used: number;
  readonly mostUsed: number;
  readonly waiting: number;
  readonly mostWaiting: number;
}

export interface Queue {
  readonly name: string;
  readonly ready: number;
  readonly running: number;
  readonly agents: number;
  readonly slots: number | null;
  readonly oldestReadyMs: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly ratePerMin: number | null;
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly queues: readonly string[];
  readonly labels: readonly string[];
  readonly slots: number | null;
  readonly used: number;
  readonly remote: boolean;
  readonly startedAt: string;
  readonly heartbeatAt: string;
  readonly leaseEndsAt: string;
  readonly drainedAt: string | null;
  readonly state: string;
  readonly restReason: string | null;
  readonly can: readonly string[];
}

export interface AgentTask {
  readonly id: string;
  readonly fullName: string;
  readonly attemptId: string;
  readonly project: IdName;
  readonly workflow: string;
  readonly try: number;
  readonly startedAt: string;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly name: string };
  readonly action: string;
  readonly text: string;
  readonly object: {
    readonly kind: string;
    readonly id: string;
    readonly path: string;
    readonly project?: IdName;
    readonly workflow?: string;
    readonly attemptId?: string;
    readonly taskId?: string;
  };
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly note?: string;
  readonly source: string;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly project: IdName | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly secret?: string;
}
