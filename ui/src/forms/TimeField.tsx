import { Field } from "../base/Field";
import { takenInstant } from "../time/instants";

interface TimeFieldProps {
  readonly title: string;
  readonly value: string; // a wall time
  readonly zone: string;
  readonly onValue: (value: string) => void;
}

/** A wall time in a zone, with the instant that it stands for. */
export function TimeField({ title, value, zone, onValue }: TimeFieldProps) {
  const taken = takenInstant(value, zone);
  return (
    <Field
      title={`${title} (${zone})`}
      placeholder="2026-11-21 03:00"
      value={value}
      onValue={onValue}
      wrong={value !== "" && !taken ? "Write it as 2026-11-21 or 2026-11-21 03:00" : undefined}
      about={
        taken && (
          <>
            {new Date(taken.ms).toISOString().replace("T", " ").slice(0, 19)} UTC. {taken.note}
          </>
        )
      }
    />
  );
}
