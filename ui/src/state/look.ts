import { type Look, looks } from "./states.gen";

const byState = new Map(looks.map((look) => [look.state, look]));
const rank = new Map(looks.map((look, place) => [look.state, place]));

/** Words for attempts, beside the states of tasks whose look they have. */
const ofAttempts: Readonly<Record<string, string>> = {
  queued: "ready",
  killed: "canceled",
  killing: "kill_requested",
};

/** The look of a state of a task, or of a status of an attempt. An unknown one is shown as blocked, with its own word. */
export function lookOf(state: string): Look {
  const known = byState.get(ofAttempts[state] ?? state);
  if (!known) return { letter: "b", state, word: state, meaning: "", hue: "quiet" };
  return ofAttempts[state] ? { ...known, state, word: state } : known;
}

/** Smaller is worse. */
export function badness(state: string): number {
  return rank.get(state) ?? rank.size;
}
