import type { ButtonHTMLAttributes } from "react";
import css from "./Button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: "plain" | "main" | "bare";
}

export function Button({ look = "plain", className, ...rest }: ButtonProps) {
  return <button type="button" className={[css.button, css[look], className].filter(Boolean).join(" ")} {...rest} />;
}
