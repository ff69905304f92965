import { describe, expect, test } from "vitest";
import { stepsOf } from "./onboarding-steps.ts";
import { slugFrom } from "./slug.ts";

describe("stepsOf", () => {
  test("begins with minting", () => {
    expect(stepsOf({ agent: undefined, taskCount: 0 })).toEqual({
      minted: "now",
      hello: "todo",
      event: "todo",
      task: "todo",
    });
  });

  test("waits for the hello of a minted agent", () => {
    const agent = { state: "unknown", last_seen_at: null } as const;
    expect(stepsOf({ agent, taskCount: 0 })).toMatchObject({ minted: "done", hello: "now" });
  });

  test("waits for an event once the agent was there, also when it has gone again", () => {
    const agent = { state: "offline", last_seen_at: "2026-11-20T10:00:00.000Z" } as const;
    expect(stepsOf({ agent, taskCount: 0 })).toMatchObject({ hello: "done", event: "now" });
  });

  test("is through with the first task", () => {
    expect(stepsOf({ agent: undefined, taskCount: 1 })).toEqual({
      minted: "done",
      hello: "done",
      event: "done",
      task: "done",
    });
  });
});

describe("slugFrom", () => {
  test.each([
    ["Acme Shop", "acme-shop"],
    ["  Čokolada & co. ", "cokolada-co"],
    ["--x--", "x"],
    ["注文", ""],
    ["a".repeat(80), "a".repeat(63)],
  ])("makes %o into %o", (name, slug) => {
    expect(slugFrom(name)).toBe(slug);
  });
});
