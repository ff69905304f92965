import { describe, expect, test } from "vitest";
import { newestFirst, readRecent } from "./recent.ts";

describe("recent items", () => {
  test("start with the newest, without duplicates, up to a limit", () => {
    const list = ["a", "b", "c", "d", "e", "f", "g", "h"];
    expect(newestFirst(list, "c", (one) => one)).toEqual(["c", "a", "b", "d", "e", "f", "g", "h"]);
    expect(newestFirst(list, "z", (one) => one)).toEqual(["z", "a", "b", "c", "d", "e", "f", "g"]);
  });

  test("do not displace bulk retries, which may still be running, in storage either", () => {
    const command = (id: string) => ({ slug: "shop", id, words: "Retry", task: "" });
    const bulk = { ...command("bulk"), isBulk: true as const };
    const singles = Array.from({ length: 9 }, (_, at) => command(`single-${at}`));
    const keyOf = ({ id }: { id: string }) => id;
    let list: (typeof bulk | ReturnType<typeof command>)[] = [bulk];
    for (const one of singles) list = newestFirst(list, one, keyOf);
    expect(list.map(keyOf)).toEqual([...singles.slice(1).map(keyOf).toReversed(), "bulk"]);
    expect(readRecent(JSON.stringify({ commands: list })).commands).toEqual(list);
  });

  test("are read from storage, without invalid ones", () => {
    const task = { slug: "shop", engine: "bullmq", taskId: "1", name: "mail" };
    expect(readRecent(JSON.stringify({ tasks: [task, { slug: 1 }, null], projects: ["shop", 7] }))).toEqual({
      tasks: [task],
      commands: [],
      projects: ["shop"],
    });
  });

  test.each([null, "", "no json", "7", "null", '{"tasks":"x"}'])("are empty for %o", (text) => {
    expect(readRecent(text)).toEqual({ tasks: [], commands: [], projects: [] });
  });
});
