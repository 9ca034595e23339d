// Made of internal/api/look.go by `go generate ./internal/api`; edit the table there.

export interface Look {
  readonly letter: string;
  readonly state: string;
  readonly word: string;
  readonly meaning: string;
  readonly hue: string;
}

/** The looks of all states, the worst first. */
export const looks: readonly Look[] = [
  {"letter":"e","state":"error","word":"error","meaning":"The task failed.","hue":"error"},
  {"letter":"E","state":"group_error","word":"group error","meaning":"A task in this group failed.","hue":"error"},
  {"letter":"x","state":"kill_requested","word":"stopping","meaning":"The task runs and was asked to stop.","hue":"running"},
  {"letter":"a","state":"awaiting_input","word":"awaiting input","meaning":"The task waits for a person's answer.","hue":"input"},
  {"letter":"r","state":"running","word":"running","meaning":"An agent runs the task.","hue":"running"},
  {"letter":"w","state":"retry_waiting","word":"waiting to retry","meaning":"The task runs again after a while: after an error, or to look again.","hue":"queued"},
  {"letter":"W","state":"group_retry_waiting","word":"group waiting to retry","meaning":"The group starts again after a while.","hue":"queued"},
  {"letter":"d","state":"deferred","word":"deferred","meaning":"The task waits for something outside without an agent.","hue":"queued"},
  {"letter":"q","state":"ready","word":"queued","meaning":"The task may run and waits for an agent, a pool or a limit. Its reason says which.","hue":"queued"},
  {"letter":"p","state":"planned","word":"tasks below","meaning":"The group has begun; its state is that of the tasks below it.","hue":"running"},
  {"letter":"b","state":"blocked","word":"blocked","meaning":"The task waits for tasks before it.","hue":"quiet"},
  {"letter":"n","state":"not_reached","word":"not reached","meaning":"The task will not run, as a task before it failed.","hue":"quiet"},
  {"letter":"c","state":"canceled","word":"canceled","meaning":"The task was stopped before it ended.","hue":"canceled"},
  {"letter":"k","state":"skipped","word":"skipped","meaning":"The task was passed over on purpose.","hue":"skipped"},
  {"letter":"s","state":"success","word":"success","meaning":"The task ended well.","hue":"success"},
  {"letter":"m","state":"missed","word":"missed","meaning":"The session should have started and did not.","hue":"queued"},
  {"letter":".","state":"absent","word":"absent","meaning":"The task is not part of that revision.","hue":""},
];
