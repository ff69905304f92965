import { describe, expect, test } from "vitest";
import { newestFirst, readRecent } from "./recent.ts";

describe("what was looked at last", () => {
  test("comes first, once, and not without end", () => {
    const list = ["a", "b", "c", "d", "e", "f", "g", "h"];
    expect(newestFirst(list, "c", (one) => one)).toEqual(["c", "a", "b", "d", "e", "f", "g", "h"]);
    expect(newestFirst(list, "z", (one) => one)).toEqual(["z", "a", "b", "c", "d", "e", "f", "g"]);
  });

  test("is read from storage as far as it makes sense", () => {
    const task = { slug: "shop", engine: "bullmq", taskId: "1", name: "mail" };
    expect(readRecent(JSON.stringify({ tasks: [task, { slug: 1 }, null], projects: ["shop", 7] }))).toEqual({
      tasks: [task],
      commands: [],
      projects: ["shop"],
    });
  });

  test.each([null, "", "no json", "7", "null", '{"tasks":"x"}'])("is nothing for %o", (text) => {
    expect(readRecent(text)).toEqual({ tasks: [], commands: [], projects: [] });
  });
});
