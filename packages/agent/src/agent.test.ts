import { readFileSync } from "node:fs";
import { createScriptedAdapter, type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestAgent } from "../test/start-test-agent.ts";
import type { AgentLog, EngineAdapter } from "./adapter.ts";
import { startAgent } from "./agent.ts";
import { AgentOptionsError } from "./options/options.ts";
import { agentVersion } from "./version.ts";

let peer: Peer;
beforeEach(async () => {
  peer = await startPeer();
});
afterEach(() => peer.stop());

const brokenLog: AgentLog = {
  debug() {
    throw new Error("the log is broken");
  },
  info() {
    throw new Error("the log is broken");
  },
  warn() {
    throw new Error("the log is broken");
  },
  error() {
    throw new Error("the log is broken");
  },
};

const brokenAdapter: EngineAdapter = {
  name: "broken",
  capabilities() {
    throw new Error("no capabilities");
  },
  start: () => Promise.reject(new Error("no start")),
  stop: () => Promise.reject(new Error("no stop")),
  snapshot: () => Promise.reject(new Error("no snapshot")),
};

describe("fail open", () => {
  test("invalid options give an agent that does nothing and reports why", async () => {
    const agent = startAgent({ brainUrl: "", token: "", hmacSecret: "", engines: [], log: brokenLog });

    await agent.ready;
    agent.start();
    expect(agent.status()).toMatchObject({ state: "refused", reason: expect.stringContaining("token is missing") });
    await agent.stop();
  });

  test("a secret that is too short is refused, and never repeated", async () => {
    await using test = await startTestAgent(peer, { hmacSecret: "c2hvcnQ" });
    expect(test.agent.status().reason).toMatch(/fewer than 32 bytes/);
    expect(test.messages.join()).not.toContain("c2hvcnQ");
  });

  test("an adapter that fails in every way does not stop the agent from connecting", async () => {
    await using test = await startTestAgent(peer, { engines: [brokenAdapter] });

    await waitFor(() => peer.record.frames.length >= 2);
    expect(peer.record.hellos[0]).toMatchObject({ engines: ["broken"], capabilities: { broken: [] } });
    expect(peer.record.frames[0]?.payload).toMatchObject({
      adapter_health: { "broken.queue_depths": '{"error":"provider raised"}' },
    });
    expect(test.messages.some((message) => message.includes("adapter failed to start"))).toBe(true);
  });

  test("a log that throws changes nothing", async () => {
    await using test = await startTestAgent(peer, { log: brokenLog });
    await waitFor(() => test.agent.status().state === "online");

    test.adapter.emitTasks(1);
    test.settle();

    await waitFor(() => peer.record.events.length === 1);
  });

  test("without a usable buffer directory, events are delivered from memory", async () => {
    await using test = await startTestAgent(peer, { bufferPath: "/dev/null/agent" });
    await waitFor(() => test.agent.status().state === "online");

    test.adapter.emitTasks(1);
    test.settle();

    await waitFor(() => peer.record.events.length === 1);
    expect(test.agent.status().isBufferDurable).toBe(false);
  });
});

describe("strict mode", () => {
  test("throws on bad options", () => {
    const options = { brainUrl: "", token: "", hmacSecret: "", engines: [], strictMode: true };
    expect(() => startAgent(options)).toThrow(AgentOptionsError);
  });

  test("rejects `ready` when an adapter failed", async () => {
    await expect(startTestAgent(peer, { strictMode: true, engines: [brokenAdapter] })).rejects.toThrow("no start");
  });
});

test("hello describes the process, its host and its engines", async () => {
  await using test = await startTestAgent(peer, { agentName: "mailer", framework: "express", workerRole: "task" });
  await waitFor(() => test.agent.status().state === "online");

  const [hello] = peer.record.hellos;
  expect(hello).toMatchObject({
    protocol_version: "2",
    agent_version: agentVersion,
    framework: "express",
    engines: ["scripted"],
    worker_role: "task",
    worker_pid: process.pid,
    host: { name: "mailer" },
  });
  const startedMs = Date.parse(hello?.worker_started_at ?? "");
  expect(hello?.worker_id).toBe(`express-${process.pid}-${startedMs}`);
});

/** Knows its capabilities only after it has started. */
function adapterThatBegins(begun: Promise<void>): EngineAdapter {
  let abilities: readonly string[] = [];
  const nothing = () => Promise.resolve();
  return {
    name: "late",
    capabilities: () => abilities,
    async start() {
      await begun;
      abilities = ["retry_task"];
    },
    stop: nothing,
    snapshot: () => Promise.resolve({}),
  };
}

test("hello lists schedulers, and one of an engine's name shares its capabilities", async () => {
  const scheduled = (engine: string, name: string) =>
    Object.assign(createScriptedAdapter(engine, ["retry_task"]), {
      scheduler: { name, capabilities: () => ["schedule.resync"] as const },
    });
  const engines = [scheduled("bullmq", "bullmq"), scheduled("celery", "beat")];
  await using _ = await startTestAgent(peer, { engines, schedulers: ["cron", "beat"] });

  await waitFor(() => peer.record.hellos.length === 1);
  expect(peer.record.hellos[0]).toMatchObject({
    engines: ["bullmq", "celery"],
    schedulers: ["bullmq", "beat", "cron"],
    capabilities: {
      bullmq: ["retry_task", "schedule.resync"],
      celery: ["retry_task"],
      beat: ["schedule.resync"],
    },
  });
});

test("hello waits for adapters to start, and contains their capabilities", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using test = await startTestAgent(peer, { engines: [adapterThatBegins(promise)], autostart: false });

  test.agent.start();
  test.clock.advance(900);
  expect([test.agent.status().state, peer.record.connects]).toEqual(["idle", 0]);
  resolve();

  await waitFor(() => peer.record.hellos.length === 1);
  expect(peer.record.hellos[0]?.capabilities).toEqual({ late: ["retry_task"] });
});

test("hello waits for at most a second", async () => {
  const never = new Promise<void>(() => {});
  await using test = await startTestAgent(peer, { engines: [adapterThatBegins(never)], autostart: false });

  test.agent.start();
  test.clock.advance(1_000);

  await waitFor(() => peer.record.hellos.length === 1);
  expect(peer.record.hellos[0]?.capabilities).toEqual({ late: [] });
});

test("without autostart nothing happens until start", async () => {
  await using test = await startTestAgent(peer, { autostart: false });
  test.clock.advance(60_000);
  expect(test.agent.status().state).toBe("idle");
  expect(() => test.adapter.context).toThrow(/not been started/);

  test.agent.start();
  test.agent.start();

  await test.agent.ready;
  await waitFor(() => test.agent.status().state === "online");
  expect(peer.record.connects).toBe(1);
});

test("stop waits for frames in flight, closes cleanly and may be called twice", async () => {
  const test = await startTestAgent(peer);
  await using _ = test;
  await waitFor(() => test.agent.status().state === "online");
  test.adapter.emitTasks(5);

  const stopped = Promise.all([test.agent.stop(), test.agent.stop()]);
  await waitFor(() => {
    test.clock.advance(100);
    return test.agent.status().state === "stopped";
  });
  await stopped;

  expect(peer.record.events).toHaveLength(5);
});

test("the version sent is the package's own", () => {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(agentVersion).toBe((JSON.parse(text) as { version: string }).version);
});
