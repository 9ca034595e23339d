import { useEffect, useState } from "react";
import { Button } from "./Button";
import { copyText } from "./copy";

/** A button that copies text, and says so for a moment. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <Button look="bare" onClick={async () => setSaid((await copyText(text)) ? "Copied" : "Not allowed by this browser")}>
      <span aria-live="polite">{said || label}</span>
    </Button>
  );
}
