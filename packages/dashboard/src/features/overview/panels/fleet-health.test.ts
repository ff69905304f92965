import type { Agent, Queue, Worker } from "@svc/client";
import { expect, test } from "vitest";
import { fleetHealth, joinFull, nameOf } from "./fleet-health.ts";

const now = Date.UTC(2026, 10, 20, 12);
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

const agent = (name: string, facts: Partial<Agent> = {}): Agent => ({
  id: name,
  project_id: "p",
  name,
  state: "online",
  protocol_version: "1",
  framework_adapter: "",
  engine_adapters: [],
  scheduler_adapters: [],
  capabilities: {},
  last_seen_at: minutesAgo(0),
  last_connect_at: null,
  created_at: minutesAgo(900),
  is_outdated: false,
  host_name: null,
  agent_version: null,
  version_status: null,
  transport: null,
  metadata: {},
  ...facts,
});

const worker = (name: string, facts: Partial<Worker> = {}): Worker => ({
  id: name,
  project_id: "p",
  engine: "bullmq",
  name,
  queues: [],
  state: "online",
  last_heartbeat: minutesAgo(0),
  hostname: null,
  pid: null,
  state_reported_at: null,
  load_average: null,
  memory_bytes: null,
  active_tasks: 1,
  concurrency: 4,
  processed: 0,
  failed: 0,
  succeeded: 0,
  retried: 0,
  created_at: minutesAgo(900),
  ...facts,
});

const queue = (name: string, pending_count: number, engine = "bullmq") => ({ engine, name, pending_count }) as Queue;

const whats = (agents: Agent[], workers: Worker[], queues?: Queue[]) =>
  fleetHealth({ agents, workers, queues }, now).troubles.map(
    (trouble) => `${trouble.kind} ${nameOf(trouble)} ${trouble.what}`,
  );

test("a working agent or worker is no trouble", () => {
  const { troubles, healthyAgents, healthyWorkers } = fleetHealth(
    { agents: [agent("a")], workers: [worker("w"), worker("leaving", { state: "draining" })], queues: [] },
    now,
  );
  expect(troubles).toEqual([]);
  expect([healthyAgents.length, healthyWorkers.length]).toEqual([1, 2]);
});

test("troubles are sorted by severity, agents before workers", () => {
  const agents = [
    agent("new", { state: "unknown", last_seen_at: null }),
    agent("old", { is_outdated: true }),
    agent("away", { state: "offline", last_seen_at: minutesAgo(4) }),
  ];
  const workers = [
    worker("busy", { active_tasks: 4 }),
    worker("quiet", { state: "offline", last_heartbeat: minutesAgo(5) }),
  ];
  expect(whats(agents, workers, [queue("mails", 1)])).toEqual([
    "agent away offline",
    "agent old outdated",
    "agent new not connected",
    "worker quiet offline",
    "worker busy full",
  ]);
});

test("an agent has an hour for its first connection, and counts neither as trouble nor as healthy until then", () => {
  const created = agent("new", { state: "unknown", last_seen_at: null, created_at: minutesAgo(1) });
  const { troubles, healthyAgents } = fleetHealth({ agents: [created], workers: [], queues: [] }, now);
  expect([troubles, healthyAgents]).toEqual([[], []]);
});

test("a worker at capacity is trouble only while tasks wait for it", () => {
  const mailer = worker("mailer", { active_tasks: 1, concurrency: 1, queues: ["mails"] });
  expect(whats([], [mailer])).toEqual([]);
  expect(whats([], [mailer], [queue("mails", 0), queue("bills", 7), queue("mails", 3, "celery")])).toEqual([]);
  expect(whats([], [mailer], [queue("mails", 1)])).toEqual(["worker mailer full"]);
  const unreported = worker("unreported", { active_tasks: 4 });
  expect(whats([], [unreported], [queue("bills", 7)])).toEqual(["worker unreported full"]);
  expect(fleetHealth({ agents: [], workers: [mailer], queues: [] }, now).healthyWorkers).toEqual([mailer]);
});

test("a worker that announced its stop, or is known by name only, is neither trouble nor healthy", () => {
  const ended = worker("ended", {
    state: "offline",
    active_tasks: 0,
    last_heartbeat: minutesAgo(6),
    state_reported_at: minutesAgo(5),
  });
  const named = worker("named", { state: "unknown" });
  expect(fleetHealth({ agents: [], workers: [ended, named], queues: [] }, now)).toEqual({
    troubles: [],
    healthyAgents: [],
    healthyWorkers: [],
  });
});

test("up to two full workers are listed separately, more are grouped", () => {
  const listed = (names: string[]) => {
    const workers = [...names.map((name) => worker(name, { active_tasks: 4 })), worker("quiet", { state: "offline" })];
    const { apart, full } = joinFull(fleetHealth({ agents: [], workers, queues: [queue("mails", 1)] }, now).troubles);
    return [apart.map(nameOf), full.map(({ name }) => name)];
  };
  expect(listed(["a", "b"])).toEqual([["quiet", "a", "b"], []]);
  expect(listed(["a", "b", "c"])).toEqual([["quiet"], ["a", "b", "c"]]);
});
