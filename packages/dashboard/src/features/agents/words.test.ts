import type { Agent } from "@svc/client";
import { describe, expect, test } from "vitest";
import { agentReason, agentsInOrder, capabilitiesOf, enginesOf, transportOf, versionSkew } from "./words.ts";

const now = Date.parse("2026-11-20T10:00:00.000Z");
const ago = (ms: number) => new Date(now - ms).toISOString();

const agent = (given: Partial<Agent> = {}): Agent => ({
  id: "1",
  project_id: "p",
  name: "media-2",
  state: "online",
  protocol_version: "2",
  framework_adapter: "node",
  engine_adapters: ["bullmq"],
  scheduler_adapters: [],
  capabilities: {},
  last_seen_at: ago(3000),
  last_connect_at: ago(7_200_000),
  created_at: ago(1e9),
  is_outdated: false,
  host_name: null,
  agent_version: null,
  version_status: "current",
  transport: "ws",
  metadata: {},
  ...given,
});

describe("agentReason", () => {
  test("says since when a connection stands or is gone", () => {
    expect(agentReason(agent(), now)).toBe("connected for 2 h");
    expect(agentReason(agent({ last_connect_at: null }), now)).toBe("heard of 3 s ago");
    expect(agentReason(agent({ state: "offline", last_seen_at: ago(240_000) }), now)).toBe("no connection for 4 min");
    expect(agentReason(agent({ state: "unknown", last_seen_at: null }), now)).toBe("waiting to connect");
  });

  test("tells of a polling agent that it may show offline while it polls", () => {
    const polling = agent({ transport: "longpoll", last_seen_at: ago(60_000) });
    expect(agentReason(polling, now)).toBe("uploads; the last 1 min ago");
    expect(agentReason({ ...polling, state: "offline" }, now)).toBe(
      "nothing uploaded for 1 min; may still poll for commands",
    );
  });
});

test("an inventory that is empty was not reported", () => {
  expect(enginesOf(agent({ engine_adapters: [] }))).toBe("not reported");
  expect(transportOf(agent({ transport: null }))).toBe("not reported");
  expect(capabilitiesOf(agent())).toEqual([]);
  expect(capabilitiesOf(agent({ capabilities: { bullmq: ["retry_task", "list_dead_letters"], odd: 7 } }))).toEqual([
    { engine: "bullmq", words: ["retry task", "list dead letters"] },
    { engine: "odd", words: [] },
  ]);
});

test("versionSkew is quiet about a current version and loud about one that cannot work", () => {
  expect(versionSkew(agent())).toBeNull();
  expect(versionSkew(agent({ version_status: null }))).toBeNull();
  expect(versionSkew(agent({ version_status: "incompatible" }))).toMatchObject({ isWrong: true });
  expect(versionSkew(agent({ version_status: "newer_than_known" }))?.word).toBe("newer");
  expect(versionSkew(agent({ version_status: null, is_outdated: true }))?.word).toBe("outdated");
});

test("trouble comes first", () => {
  const names = agentsInOrder([
    agent({ name: "b" }),
    agent({ name: "a" }),
    agent({ name: "old", version_status: "incompatible" }),
    agent({ name: "new", state: "unknown" }),
    agent({ name: "gone", state: "offline" }),
  ]).map(({ name }) => name);
  expect(names).toEqual(["gone", "old", "new", "a", "b"]);
});
