import {
  CalendarClock,
  CircleHelp,
  FolderTree,
  Gauge,
  History,
  House,
  Layers,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
} from "lucide-react";

/** A page that the rail and the palette lead to. */
export interface Place {
  readonly to: "/" | "/sessions" | "/schedules" | "/projects" | "/pools" | "/queues" | "/agents" | "/audit" | "/settings" | "/help";
  readonly title: string;
  readonly about: string;
  readonly keys?: string;
  readonly icon: LucideIcon;
  readonly low?: boolean; // at the foot of the rail
}

export const places: readonly Place[] = [
  { to: "/", title: "Home", about: "what failed, is late, runs, waits and comes", keys: "g h", icon: House },
  { to: "/sessions", title: "Sessions", about: "what ran, the newest first", keys: "g s", icon: History },
  { to: "/schedules", title: "Schedules", about: "what starts when, and why it did not", keys: "g c", icon: CalendarClock },
  { to: "/projects", title: "Projects", about: "their workflows, revisions, files and secrets", keys: "g p", icon: FolderTree },
  { to: "/pools", title: "Pools", about: "slots that tasks share, who holds them and who waits", keys: "g l", icon: Gauge },
  { to: "/queues", title: "Queues", about: "how fast tasks go to agents", keys: "g q", icon: Layers },
  { to: "/agents", title: "Agents", about: "who runs tasks, and drains", keys: "g n", icon: Server },
  { to: "/audit", title: "Audit", about: "who did what", keys: "g a", icon: ScrollText },
  { to: "/help", title: "Help", about: "shortcuts and states explained", keys: "?", icon: CircleHelp, low: true },
  {
    to: "/settings",
    title: "Settings",
    about: "theme, density, zone, shortcuts, tokens, where you are signed in",
    icon: Settings,
    low: true,
  },
];
