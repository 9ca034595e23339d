import { CalendarClock, CircleHelp, History, type LucideIcon, Settings } from "lucide-react";

/** A page that the rail and the palette lead to. */
export interface Place {
  readonly to: "/sessions" | "/schedules" | "/settings" | "/help";
  readonly title: string;
  readonly about: string;
  readonly keys?: string;
  readonly icon: LucideIcon;
  readonly low?: boolean; // at the foot of the rail
}

export const places: readonly Place[] = [
  { to: "/sessions", title: "Sessions", about: "what ran, the newest first", keys: "g s", icon: History },
  { to: "/schedules", title: "Schedules", about: "what starts when, and why it did not", keys: "g c", icon: CalendarClock },
  { to: "/help", title: "Help", about: "shortcuts and states explained", keys: "?", icon: CircleHelp, low: true },
  { to: "/settings", title: "Settings", about: "theme, density, zone, shortcuts", icon: Settings, low: true },
];
