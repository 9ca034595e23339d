import { useId } from "react";
import css from "./Choice.module.css";

interface ChoiceProps<T extends string> {
  readonly title: string;
  readonly value: T;
  readonly choices: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
  readonly bare?: boolean; // the title is for readers of screens alone
}

/** One of a few, all in sight. */
export function Choice<T extends string>({ title, value, choices, onChange, bare = false }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={css.choice}>
      <legend className={bare ? "unseen" : undefined}>{title}</legend>
      <div className={css.row}>
        {(Object.keys(choices) as T[]).map((key) => (
          <label key={key}>
            <input type="radio" name={name} value={key} checked={key === value} onChange={() => onChange(key)} />
            <span>{choices[key]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
