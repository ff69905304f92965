import { describe, expect, test } from "vitest";
import { slugFrom } from "../slug.ts";
import { agentOf, stepsOf, watchedEngines } from "./onboarding-steps.ts";

const agent = (id: string, facts: Partial<Parameters<typeof agentOf>[0][number]> = {}) => ({
  id,
  state: "unknown" as const,
  last_seen_at: null,
  engine_adapters: [],
  created_at: "2026-11-20T10:00:00.000Z",
  ...facts,
});
const steps = (agents: ReturnType<typeof agent>[], hasTask = false) => stepsOf({ agents, engine: "bullmq", hasTask });
const seen = { last_seen_at: "2026-11-20T10:05:00.000Z", state: "offline" } as const;

describe("the steps of an engine", () => {
  test("begin with minting", () => {
    expect(steps([])).toEqual({ minted: "now", hello: "todo", event: "todo", task: "todo" });
  });

  test("wait for the hello of a minted agent", () => {
    expect(steps([agent("a")])).toMatchObject({ minted: "done", hello: "now" });
  });

  test("wait for an event once an agent of the engine was there, also when it has gone again", () => {
    expect(steps([agent("a", { ...seen, engine_adapters: ["bullmq"] })])).toMatchObject({
      hello: "done",
      event: "now",
    });
  });

  test("do not take the agent of another engine for one of theirs", () => {
    expect(steps([agent("a", { ...seen, engine_adapters: ["demo"] })])).toMatchObject({ minted: "now", hello: "todo" });
  });

  test("are through with the first task", () => {
    expect(steps([], true)).toEqual({ minted: "done", hello: "done", event: "done", task: "done" });
  });
});

describe("the agent of an engine", () => {
  const watching = agent("watching", { ...seen, engine_adapters: ["bullmq"] });
  const online = agent("online", { ...seen, state: "online" as never, engine_adapters: ["bullmq", "demo"] });
  const other = agent("other", { ...seen, engine_adapters: ["celery"] });
  const older = agent("older");
  const newer = agent("newer", { created_at: "2026-11-20T11:00:00.000Z" });

  test("watches it, the connected one first; else it is the one that was minted, or the newest of the silent ones", () => {
    expect(agentOf([older, watching, online], "bullmq")?.id).toBe("online");
    expect(agentOf([newer, watching], "bullmq", "newer")?.id).toBe("watching");
    expect(agentOf([older, newer, other], "bullmq")?.id).toBe("newer");
    expect(agentOf([older, newer, other], "bullmq", "older")?.id).toBe("older");
    expect(agentOf([other], "bullmq")).toBeUndefined();
  });

  test("names the engines that are watched once each", () => {
    expect(watchedEngines([watching, online, other, older])).toEqual(["bullmq", "demo", "celery"]);
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
