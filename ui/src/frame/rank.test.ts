import { expect, test } from "vitest";
import { ranked } from "./rank";

test("beginnings go before middles, all words must be there, and equal ones stay in order", () => {
  const titles = ["Hide successful tasks", "Sessions", "Help", "Compare with the last success", "Settings"];
  const find = (words: string) => ranked(words, titles, (title) => title);
  expect(find("")).toEqual(titles);
  expect(find("se")).toEqual(["Sessions", "Settings"]);
  expect(find("succ")).toEqual(["Hide successful tasks", "Compare with the last success"]);
  expect(find("last comp")).toEqual(["Compare with the last success"]);
  expect(find("zzz")).toEqual([]);
});
