import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./Button";
import css from "./Dialog.module.css";

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly wide?: boolean;
}

/** A dialog over the page. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, children, onClose, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? css.wide : css.dialog}
      aria-labelledby={heading}
      onClose={() => dialog.current?.open || onClose()}
    >
      <div className={css.head}>
        <h2 id={heading}>{title}</h2>
        <Button look="bare" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </Button>
      </div>
      <div className={css.body}>{children}</div>
    </dialog>
  );
}
