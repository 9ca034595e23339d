import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { change, get } from "../api/call";
import { CallError } from "../api/error";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { useTitle } from "../base/title";
import { reconnect } from "../live/stream";
import css from "./Login.module.css";

const route = getRouteApi("/login");

interface Options {
  readonly password: boolean;
}

/** Signs in with user and password, or with a token. */
export function Login() {
  const { next } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const [by, setBy] = useState<"password" | "token">("password");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useTitle("Sign in");
  useCrumbs([{ text: "Sign in" }]);
  const options = useQuery({
    queryKey: ["login", "options"],
    queryFn: ({ signal }) => get<Options>("api/login/options", {}, signal),
    retry: false,
  });
  const withToken = by === "token" || options.data?.password === false;

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    setBusy(true);
    setError(undefined);
    try {
      await change("POST", "api/login", withToken ? { token: text("token") } : { user: text("username"), password: text("password") });
      queries.clear();
      reconnect();
      await router.navigate({ href: next?.startsWith("/") && !next.startsWith("//") ? next : "/", replace: true });
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className={css.login}>
      <h1>Sign in</h1>
      {options.data?.password !== false && (
        <Choice bare title="Sign in with" value={by} choices={{ password: "User and password", token: "Token" }} onChange={setBy} />
      )}
      <form onSubmit={submit} className={css.form}>
        {withToken ? (
          <label key="token">
            Token
            <input name="token" type="password" autoComplete="off" required spellCheck={false} />
          </label>
        ) : (
          <>
            <label key="user">
              User
              <input name="username" autoComplete="username" required spellCheck={false} autoCapitalize="none" />
            </label>
            <label key="password">
              Password
              <input name="password" type="password" autoComplete="current-password" required />
            </label>
          </>
        )}
        <Button look="main" type="submit" disabled={busy}>
          {busy ? "Signing in" : "Sign in"}
        </Button>
      </form>
      {error !== undefined && (
        <p role="alert" className={css.error}>
          {wordsOf(error)}
        </p>
      )}
      <p className="quiet">In a terminal, commands sign in by themselves: see the settings of the client, or its option for headers.</p>
    </div>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof CallError && error.status === 401)
    return "Could not sign you in: this user and password, or this token, are not known here.";
  return `Could not sign you in: ${error instanceof Error ? error.message : String(error)}.`;
}
