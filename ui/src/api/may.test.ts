import { expect, test } from "vitest";
import { type Me, mayDo } from "./may";

const me: Me = {
  user: "ann",
  roles: ["operator"],
  can: ["ReadAudit"],
  projects: { "3": ["RunWorkflow"] },
  auth: "token",
  serverTime: "",
  version: "",
};

test("a right holds for all projects or for the one that it is for, and nobody has any before they are known", () => {
  expect(mayDo(me, "ReadAudit", "9")).toBe(true);
  expect(mayDo(me, "RunWorkflow", "3")).toBe(true);
  expect(mayDo(me, "RunWorkflow", "4")).toBe(false);
  expect(mayDo(me, "RunWorkflow")).toBe(false);
  expect(mayDo(undefined, "ReadAudit")).toBe(false);
});
