import { describe, expect, test } from "vitest";
import { type BullmqOptions, readSettings } from "../options.ts";
import { schedulerNameOf } from "./scheduler-name.ts";

const nameOf = (options: Partial<BullmqOptions>) => schedulerNameOf(readSettings({ redis: "redis://x", ...options }));

describe("the name of the scheduler", () => {
  test.each([
    [{}, "bullmq"],
    [{ engine: "jobs" }, "jobs"],
    [{ namespace: "eu" }, "bullmq-eu"],
    [{ prefixes: ["shop"] }, "bullmq.shop"],
    [{ prefixes: ["{shop}"] }, "bullmq.9b7687956023"],
    [{ prefixes: ["shop"], namespace: "eu" }, expect.stringMatching(/^bullmq[.][0-9a-f]{12}$/)],
    [{ prefixes: ["a", "b"] }, expect.stringMatching(/^bullmq[.][0-9a-f]{12}$/)],
    [{ queues: ["mail"] }, expect.stringMatching(/^bullmq[.][0-9a-f]{12}$/)],
  ])("for %j is %s", (options, name) => {
    expect(nameOf(options)).toEqual(name);
  });

  test("differs where the watched queues differ, and never depends on the order of a list", () => {
    const scopes: Partial<BullmqOptions>[] = [
      ...[{}, { namespace: "a" }, { prefixes: ["a"] }, { prefixes: ["b"] }, { queues: ["a"] }, { queues: ["a", "b"] }],
      ...[{ prefixes: ["a", "b"] }, { prefixes: ["a", "b"], queues: ["a"] }, { prefixes: ["b"], namespace: "a" }],
    ];
    expect(new Set(scopes.map(nameOf)).size).toBe(scopes.length);
    expect(nameOf({ prefixes: ["b", "a"], queues: ["y", "x"] })).toBe(
      nameOf({ prefixes: ["a", "b"], queues: ["x", "y"] }),
    );
  });

  test("has at most 64 characters of the permitted ones", () => {
    const long = "n".repeat(40);
    for (const options of [
      { engine: long, namespace: long },
      { engine: long, prefixes: ["p".repeat(23)] },
    ])
      expect(nameOf(options)).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });
});
