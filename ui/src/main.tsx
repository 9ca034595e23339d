import "./styles/tokens.css";
import "./state/states.gen.css";
import "./styles/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "./api/call";
import { CallError } from "./api/error";
import { listenToKeys } from "./base/keys";
import { applyPrefs } from "./base/prefs";
import { router } from "./routes";

applyPrefs();
listenToKeys();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && error instanceof CallError && (error.status === 0 || error.status >= 502),
    },
  },
});

onSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== "/login") void router.navigate({ to: "/login", search: { next: href }, replace: true });
});

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
