import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "./api/place";
import { Frame } from "./frame/Frame";
import { readSearch, writeSearch } from "./frame/search";
import { Broken } from "./pages/Broken";
import { NotFound } from "./pages/NotFound";

// The paths below stand in internal/ui/routes.go, too: the server answers 404 to all others.

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [key in Name]?: string } => {
    const found: { [key in Name]?: string } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string" && value !== "") found[name] = value;
    }
    return found;
  };

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: texts("since", "at"),
  component: lazyRouteComponent(() => import("./pages/Home"), "Home"),
});

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  validateSearch: texts("status", "project", "workflow", "from", "to", "unit"),
  component: lazyRouteComponent(() => import("./pages/Sessions"), "Sessions"),
});

const helpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/help",
  component: lazyRouteComponent(() => import("./pages/Help"), "Help"),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  validateSearch: texts("tab"),
  component: lazyRouteComponent(() => import("./pages/Settings"), "Settings"),
});

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  validateSearch: texts("next"),
  component: lazyRouteComponent(() => import("./pages/Login"), "Login"),
});

export const attemptRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/attempts/$id",
  validateSearch: texts("task", "try", "tab", "filter", "q", "line", "open", "fold"),
  component: lazyRouteComponent(() => import("./pages/Attempt"), "AttemptPage"),
});

export const attemptGoRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/attempts/$id/go",
  validateSearch: texts("task", "to"),
  component: lazyRouteComponent(() => import("./pages/Attempt"), "AttemptGo"),
});

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$id",
  validateSearch: texts("task", "try", "tab", "filter", "q", "line", "open", "fold"),
  component: lazyRouteComponent(() => import("./pages/Attempt"), "SessionPage"),
});

export const workflowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workflows/$id",
  component: lazyRouteComponent(() => import("./pages/WorkflowLink"), "WorkflowLink"),
});

const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules",
  validateSearch: texts("q", "state", "at"),
  component: lazyRouteComponent(() => import("./pages/Schedules"), "Schedules"),
});

const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules/$id",
  validateSearch: texts("why"),
  component: lazyRouteComponent(() => import("./pages/Schedule"), "Schedule"),
});

const poolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/pools",
  validateSearch: texts("at"),
  component: lazyRouteComponent(() => import("./pages/Pools"), "Pools"),
});

const poolRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/pools/$name",
  validateSearch: texts("project"),
  component: lazyRouteComponent(() => import("./pages/Pool"), "Pool"),
});

const queuesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/queues",
  component: lazyRouteComponent(() => import("./pages/Queues"), "Queues"),
});

const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  validateSearch: texts("q", "queue", "at"),
  component: lazyRouteComponent(() => import("./pages/Agents"), "Agents"),
});

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$id",
  component: lazyRouteComponent(() => import("./pages/Agent"), "Agent"),
});

const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects",
  validateSearch: texts("q", "at"),
  component: lazyRouteComponent(() => import("./pages/Projects"), "Projects"),
});

const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$id",
  validateSearch: texts("tab", "at", "q", "from", "revision"),
  component: lazyRouteComponent(() => import("./pages/Project"), "Project"),
});

const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$id/files",
  validateSearch: texts("revision", "path", "lines"),
  component: lazyRouteComponent(() => import("./pages/ProjectFiles"), "ProjectFiles"),
});

const diffRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$id/diff",
  validateSearch: texts("from", "to", "path", "side"),
  component: lazyRouteComponent(() => import("./pages/ProjectDiff"), "ProjectDiff"),
});

const workflowPageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$id/workflows/$name",
  validateSearch: texts("tab", "revision", "at", "why", "task"),
  component: lazyRouteComponent(() => import("./pages/Workflow"), "Workflow"),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$id/workflows/$name/run",
  validateSearch: texts("from", "revision"),
  component: lazyRouteComponent(() => import("./pages/WorkflowRun"), "WorkflowRun"),
});

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/audit",
  validateSearch: texts("actor", "action", "project", "workflow", "attempt", "task", "source", "from", "to", "at"),
  component: lazyRouteComponent(() => import("./pages/Audit"), "Audit"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    sessionsRoute,
    sessionRoute,
    attemptRoute,
    attemptGoRoute,
    workflowRoute,
    projectsRoute,
    projectRoute,
    filesRoute,
    diffRoute,
    workflowPageRoute,
    runRoute,
    schedulesRoute,
    scheduleRoute,
    poolsRoute,
    poolRoute,
    queuesRoute,
    agentsRoute,
    agentRoute,
    auditRoute,
    helpRoute,
    settingsRoute,
    loginRoute,
  ]),
  basepath: root,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultErrorComponent: Broken,
  defaultPreload: "intent",
  scrollRestoration: true,
  scrollToTopSelectors: ["#main"],
  trailingSlash: "never",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
