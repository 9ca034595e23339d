/** Who calls, as the server knows them. */
export interface Me {
  readonly user: string;
  readonly roles: readonly string[];
  readonly can: readonly string[];
  readonly projects?: Readonly<Record<string, readonly string[]>>;
  readonly auth: string;
  readonly serverTime: string;
  readonly version: string;
}

/** Reports whether a right is among those of a caller, for a project or for all of them. */
export function mayDo(me: Me | undefined, verb: string, project?: string): boolean {
  if (!me) return false;
  return me.can.includes(verb) || (project !== undefined && Boolean(me.projects?.[project]?.includes(verb)));
}
