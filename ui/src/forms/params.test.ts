import { expect, test } from "vitest";
import { pairsOf, readJson, usedNames, valuesOf } from "./params";

test("names that a workflow uses and does not give are found", () => {
  const source =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source of a workflow
    "_export:\n  target: a\n+a:\n  sh>: echo ${target} ${ size } ${name.first} ${session_date} ${moment(session_time)} ${last_session_time}\n";
  expect(usedNames(source)).toEqual(["name", "size"]);
});

test("values come back as they were typed, and long numbers stay texts", () => {
  const values = { a: "text", b: 3, c: true, d: [1, { x: null }], e: "", f: "12 months", g: "12345678901234567890", h: "007", i: "1e3" };
  expect(valuesOf(pairsOf(values)).values).toEqual(values);
  expect(valuesOf([{ key: "__proto__", value: "x" }]).values).toHaveProperty("__proto__", "x");
});

test("what cannot be sent is said", () => {
  expect(valuesOf([{ key: "", value: "x" }]).wrong).toEqual({ 0: "A name is needed" });
  expect(valuesOf([{ key: "", value: "" }]).wrong).toEqual({});
  expect(
    valuesOf([
      { key: "a", value: "1" },
      { key: "a", value: "2" },
    ]).wrong,
  ).toEqual({ 1: "a is there twice" });
  expect(readJson('{"a": 1}').values).toEqual({ a: 1 });
  expect(readJson("").values).toEqual({});
  expect(readJson("[1]").wrong).toContain("object");
  expect(readJson("{").wrong).toBeTruthy();
});
