import { useEffect, useRef } from "react";
import { serverNow } from "../time/clock";
import { age } from "../time/duration";
import { localZone, wallText } from "../time/format";
import css from "./TimeTip.module.css";

/** The lines of the tip about a time. */
function linesOf(time: HTMLTimeElement): [string, string][] {
  const ms = Date.parse(time.dateTime);
  if (Number.isNaN(ms)) return [];
  const zone = time.dataset.zone;
  const lines: [string, string][] = [];
  if (zone && zone !== localZone && zone !== "UTC") lines.push([`workflow, ${zone}`, wallText(ms, zone)]);
  lines.push([`local, ${localZone}`, wallText(ms, localZone)]);
  if (localZone !== "UTC") lines.push(["UTC", wallText(ms, "UTC")]);
  lines.push(["age", age(serverNow() - ms)]);
  return lines;
}

/** The one tip of the page: it shows a time in all zones when one points at it, presses it, or focuses what it is in. */
export function TimeTip() {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = tip.current;
    if (!box) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      if (box.matches(":popover-open")) box.hidePopover();
    };
    const show = (time: HTMLTimeElement) => {
      const lines = linesOf(time);
      if (lines.length === 0) return;
      box.firstElementChild?.replaceChildren(
        ...lines.flatMap(([zone, text]) => {
          const dt = document.createElement("dt");
          const dd = document.createElement("dd");
          dt.textContent = zone;
          dd.textContent = text;
          return [dt, dd];
        }),
      );
      box.showPopover();
      const place = time.getBoundingClientRect();
      const own = box.getBoundingClientRect();
      const below = place.bottom + 6 + own.height < innerHeight;
      box.style.left = `${Math.max(4, Math.min(place.left, innerWidth - own.width - 4))}px`;
      box.style.top = `${below ? place.bottom + 6 : place.top - own.height - 6}px`;
    };
    const find = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLTimeElement>("time[datetime]") : null);
    const over = (event: PointerEvent) => {
      const time = find(event.target);
      hide();
      if (time && event.pointerType === "mouse") timer = setTimeout(() => show(time), 300);
    };
    const press = (event: MouseEvent) => {
      const time = find(event.target);
      if (time && !time.closest("a, button")) show(time);
    };
    const focus = (event: FocusEvent) => {
      hide();
      const time = event.target instanceof HTMLTimeElement ? event.target : null;
      if (time) show(time);
    };
    const key = (event: KeyboardEvent) => event.key === "Escape" && hide();
    document.addEventListener("pointerover", over);
    document.addEventListener("click", press);
    document.addEventListener("focusin", focus);
    document.addEventListener("keydown", key);
    document.addEventListener("scroll", hide, true);
    return () => {
      hide();
      document.removeEventListener("pointerover", over);
      document.removeEventListener("click", press);
      document.removeEventListener("focusin", focus);
      document.removeEventListener("keydown", key);
      document.removeEventListener("scroll", hide, true);
    };
  }, []);
  return (
    <div className={css.tip} popover="manual" role="tooltip" ref={tip}>
      <dl />
    </div>
  );
}
