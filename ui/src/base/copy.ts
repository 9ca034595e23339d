/** Copies text. The clipboard of scripts needs a secure context, so there is the old way, too. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed: the old way may still work.
    }
  }
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "unseen";
  field.readOnly = true;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}
