import { describe, expect, test } from "vitest";
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
  test("begin with creating an agent", () => {
    expect(steps([])).toEqual({ created: "now", hello: "todo", event: "todo", task: "todo" });
  });

  test("wait for a created agent to connect", () => {
    expect(steps([agent("a")])).toMatchObject({ created: "done", hello: "now" });
  });

  test("wait for an event once an agent of the engine connected, even when it is offline again", () => {
    expect(steps([agent("a", { ...seen, engine_adapters: ["bullmq"] })])).toMatchObject({
      hello: "done",
      event: "now",
    });
  });

  test("ignore agents of other engines", () => {
    expect(steps([agent("a", { ...seen, engine_adapters: ["demo"] })])).toMatchObject({
      created: "now",
      hello: "todo",
    });
  });

  test("are done with the first task", () => {
    expect(steps([], true)).toEqual({ created: "done", hello: "done", event: "done", task: "done" });
  });
});

describe("the agent of an engine", () => {
  const watching = agent("watching", { ...seen, engine_adapters: ["bullmq"] });
  const online = agent("online", { ...seen, state: "online" as never, engine_adapters: ["bullmq", "demo"] });
  const other = agent("other", { ...seen, engine_adapters: ["celery"] });
  const older = agent("older");
  const newer = agent("newer", { created_at: "2026-11-20T11:00:00.000Z" });

  test("watches it, connected ones first; else it is the one just created, or the newest that never connected", () => {
    expect(agentOf([older, watching, online], "bullmq")?.id).toBe("online");
    expect(agentOf([newer, watching], "bullmq", "newer")?.id).toBe("watching");
    expect(agentOf([older, newer, other], "bullmq")?.id).toBe("newer");
    expect(agentOf([older, newer, other], "bullmq", "older")?.id).toBe("older");
    expect(agentOf([other], "bullmq")).toBeUndefined();
  });

  test("watched engines are unique", () => {
    expect(watchedEngines([watching, online, other, older])).toEqual(["bullmq", "demo", "celery"]);
  });
});
