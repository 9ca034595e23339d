import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from "react";
import css from "./Field.module.css";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "about"> {
  readonly title: string;
  readonly about?: ReactNode; // stands below the field
  readonly wrong?: string | undefined; // what is wrong with the value
  readonly onValue: (value: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A field with its name above and what there is to say about it below. */
export function Field({ title, about, wrong, onValue, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={css.field}>
      <label htmlFor={id}>{title}</label>
      <input
        id={id}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-about`}
        aria-invalid={wrong ? true : undefined}
        onChange={(event) => onValue(event.target.value)}
        {...rest}
      />
      <div id={`${id}-about`} className={css.about} aria-live="polite">
        {wrong ? <span className={css.wrong}>{wrong}</span> : about}
      </div>
    </div>
  );
}

/** A field that narrows a list. Its title is inside. */
export function Filter({
  title,
  value,
  onValue,
}: {
  readonly title: string;
  readonly value: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}) {
  return (
    <input
      type="search"
      className={css.filter}
      placeholder={title}
      aria-label={title}
      data-filter=""
      spellCheck={false}
      value={value ?? ""}
      onChange={(event) => onValue(event.target.value || undefined)}
    />
  );
}
