import type { Agent } from "@svc/client";
import { describe, expect, test } from "vitest";
import {
  agentReason,
  agentsInOrder,
  capabilitiesOf,
  enginesOf,
  isNotConnectedYet,
  transportOf,
  versionSkew,
} from "./labels.ts";

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
  test("has the time since an agent connected or disconnected", () => {
    expect(agentReason(agent(), now)).toBe("connected for 2 h");
    expect(agentReason(agent({ last_connect_at: null }), now)).toBe("last seen 3 s ago");
    expect(agentReason(agent({ state: "offline", last_seen_at: ago(240_000) }), now)).toBe("disconnected for 4 min");
  });

  test("mentions that an offline agent may still poll", () => {
    const polling = agent({ transport: "longpoll", last_seen_at: ago(60_000) });
    expect(agentReason(polling, now)).toBe("last upload 1 min ago");
    expect(agentReason({ ...polling, state: "offline" }, now)).toBe("no upload for 1 min, may still poll for commands");
  });
});

describe("an agent that never connected", () => {
  const created = (ms: number) =>
    agent({ state: "unknown", last_seen_at: null, last_connect_at: null, created_at: ago(ms) });

  test("is not connected yet", () => {
    expect(agentReason(created(2000), now)).toBe("created 2 s ago");
    expect(isNotConnectedYet(created(2000))).toBe(true);
    expect(isNotConnectedYet(agent({ state: "offline" }))).toBe(false);
  });

  test("differs from an agent that only polls", () => {
    const polling = { ...created(2000), last_connect_at: ago(1000) };
    expect(agentReason(polling, now)).toBe("polls for commands");
    expect(isNotConnectedYet(polling)).toBe(false);
  });
});

test("an empty list is shown as not reported", () => {
  expect(enginesOf(agent({ engine_adapters: [] }))).toBe("not reported");
  expect(transportOf(agent({ transport: null }))).toBe("not reported");
  expect(capabilitiesOf(agent())).toEqual([]);
  expect(capabilitiesOf(agent({ capabilities: { bullmq: ["retry_task", "list_dead_letters"], odd: 7 } }))).toEqual([
    { engine: "bullmq", labels: ["retry task", "list dead letters"] },
    { engine: "odd", labels: [] },
  ]);
});

test("versionSkew is null for a current version and bad for an incompatible one", () => {
  expect(versionSkew(agent())).toBeNull();
  expect(versionSkew(agent({ version_status: null }))).toBeNull();
  expect(versionSkew(agent({ version_status: "incompatible" }))).toMatchObject({ isBad: true });
  expect(versionSkew(agent({ version_status: "newer_than_known" }))?.word).toBe("newer");
  expect(versionSkew(agent({ version_status: null, is_outdated: true }))?.word).toBe("outdated");
});

test("problems come first", () => {
  const names = agentsInOrder([
    agent({ name: "b" }),
    agent({ name: "a" }),
    agent({ name: "old", version_status: "incompatible" }),
    agent({ name: "new", state: "unknown" }),
    agent({ name: "away", state: "offline" }),
  ]).map(({ name }) => name);
  expect(names).toEqual(["away", "old", "new", "a", "b"]);
});
