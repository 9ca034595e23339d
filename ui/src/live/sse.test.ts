import { expect, test } from "vitest";
import { FrameReader } from "./sse";

const text =
  ': trowel\n\nid: a-1\nevent: tasks\ndata: {"a":1}\n\n: still here\n\ndata: x\ndata: y\r\n\nid: a-2\nevent: log\ndata:z\n\nevent: none\n\n';
const want = [
  { id: "a-1", name: "tasks", data: '{"a":1}' },
  { id: "a-1", name: "message", data: "x\ny" },
  { id: "a-2", name: "log", data: "z" },
];

test("events are the same in whatever pieces they come", () => {
  for (let size = 1; size <= text.length; size++) {
    const reader = new FrameReader();
    const frames = [];
    for (let at = 0; at < text.length; at += size) frames.push(...reader.read(text.slice(at, at + size)));
    expect(frames).toEqual(want);
  }
});
