import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Failure } from "../base/Notice";

/** Stands where a page could not be drawn. The frame around it lives on. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Failure
      what="show this page"
      error={error}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}
