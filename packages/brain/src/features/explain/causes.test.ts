import { createRedactor, type TaskState } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { createMasking } from "../masking/index.ts";
import { causesOf } from "./causes.ts";
import type { AgentFacts, Facts, LossFacts, QueueFacts, RunFacts, TaskFacts, WorkerFacts } from "./facts.ts";

const now = new Date("2026-01-02T03:00:00.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

const task: TaskFacts = {
  engine: "bullmq",
  task_id: "t-1",
  state: "pending",
  queue: "mails",
  worker_name: null,
  eta: null,
  started_at: null,
  finished_at: null,
  runtime_ms: null,
  last_event_at: ago(600),
};
const queue: QueueFacts = {
  name: "mails",
  pending_count: 7,
  consumer_count: 2,
  oldest_waiting_since: ago(900),
  depth_reported_at: ago(5),
  consumers_reported_at: ago(5),
  paused_since: null,
  limited_until: null,
  consumed_until: null,
  workers_online: 0,
  workers_offline: 0,
};
const worker: WorkerFacts = {
  name: "w1",
  state: "online",
  last_heartbeat: ago(5),
  active_tasks: 1,
  concurrency: 1,
  details_at: ago(5),
  state_at: null,
  lists_task: null,
};
const agent: AgentFacts = { id: "a-1", name: "mail-1", is_online: true, last_seen_at: ago(5), revoked_at: null };
const loss: LossFacts = {
  agent_id: "a-1",
  agent_name: "mail-1",
  from: ago(300),
  to: ago(200),
  event_records: 3,
  reason: "capacity",
};
const runs: RunFacts = { p50: 1000, p95: 10_000, p99: 20_000, count: 50 };
const nothing: Facts = {
  now,
  task,
  queue,
  worker: null,
  agent,
  watchers_online: 1,
  losses: [],
  runs: null,
  open_children: 0,
  schedules: [],
};

const run = (startedAgo: number, changes: Partial<Facts> = {}): Facts => ({
  ...nothing,
  task: { ...task, state: "started", worker_name: "w1", started_at: ago(startedAgo), last_event_at: ago(startedAgo) },
  worker,
  runs,
  ...changes,
});
const held = (changes: Partial<Facts> = {}): Facts => ({
  ...nothing,
  task: { ...task, state: "received", worker_name: "w1" },
  worker,
  ...changes,
});
const offline = { ...agent, is_online: false, last_seen_at: ago(400) };
const codes = (facts: Facts) => causesOf(facts).map(({ code }) => code);

describe("the causes of a waiting task", () => {
  test("are ordered by likelihood, each once", () => {
    expect(
      codes({
        ...nothing,
        task: { ...task, eta: ago(-60) },
        queue: {
          ...queue,
          paused_since: ago(100),
          limited_until: ago(-1),
          consumer_count: 0,
          depth_reported_at: ago(410),
          consumers_reported_at: ago(410),
        },
        agent: offline,
        watchers_online: 0,
        losses: [loss],
        schedules: [{ name: "nightly", is_enabled: false, reported_at: ago(50) }],
      }),
    ).toEqual([
      "eta_ahead",
      "agent_offline",
      "queue_paused",
      "rate_limited",
      "no_consumer",
      "events_lost",
      "schedule_disabled",
    ]);
  });

  test("are unknown, with the state of the queue, when nothing blocks it", () => {
    expect(causesOf(nothing)).toEqual([
      {
        code: "unknown",
        message: expect.stringContaining("in queue mails"),
        evidence: {
          queue: "mails",
          pending_count: 7,
          consumer_count: 2,
          oldest_waiting_since: ago(900),
          reported_at: ago(5),
        },
        since: ago(600),
      },
    ]);
  });

  test("leave out a queue count older than the task", () => {
    const empty = { ...queue, pending_count: 0, depth_reported_at: ago(5) };
    const newer = { ...task, last_event_at: ago(2) };
    const paused = { ...empty, paused_since: ago(100) };
    for (const facts of [
      { ...nothing, task: newer, queue: empty },
      { ...nothing, task: newer, queue: paused },
      { ...nothing, queue: { ...empty, consumer_count: 0, depth_reported_at: null } },
    ])
      expect(causesOf(facts)[0]?.evidence).toMatchObject({ pending_count: null });
  });

  test("are unknown, with the unfinished children, when it may wait for them", () => {
    expect(causesOf({ ...nothing, open_children: 3 })).toMatchObject([
      {
        code: "unknown",
        message: expect.stringContaining("In a flow"),
        evidence: { queue: "mails", open_children: 3 },
      },
    ]);
    expect(codes({ ...nothing, open_children: 3, queue: { ...queue, paused_since: ago(9) } })).toEqual([
      "queue_paused",
    ]);
  });

  test.each<[string, Partial<Facts>]>([
    ["no queue is known", { queue: null }],
    ["the queue was last reported long ago", { queue: { ...queue, depth_reported_at: ago(361) } }],
    ["the queue was never reported", { queue: { ...queue, depth_reported_at: null } }],
  ])("contain only the name of the queue when %s", (_what, changes) => {
    expect(causesOf({ ...nothing, ...changes })[0]?.evidence).toEqual({ queue: "mails" });
  });

  test.each<[string, QueueFacts]>([
    ["a pause", { ...queue, paused_since: ago(1000), depth_reported_at: ago(361) }],
    ["a limit", { ...queue, limited_until: ago(1000), depth_reported_at: ago(361) }],
    ["consumers", { ...queue, consumer_count: 0, consumers_reported_at: ago(361) }],
    ["no count of consumers", { ...queue, consumer_count: 0, consumers_reported_at: null }],
  ])("leave out %s without a recent report", (_what, old) => {
    expect(codes({ ...nothing, queue: old })).toEqual(["unknown"]);
  });

  test("use the last report of an agent that disconnected", () => {
    const said = { ...queue, paused_since: ago(5000), depth_reported_at: ago(4000) };
    expect(
      codes({ ...nothing, queue: said, agent: { ...offline, last_seen_at: ago(3990) }, watchers_online: 0 }),
    ).toEqual(["agent_offline", "queue_paused"]);
  });

  test("do not name an agent whose queue another agent reports", () => {
    expect(codes({ ...nothing, agent: offline })).toEqual(["unknown"]);
    expect(codes({ ...nothing, agent: offline, watchers_online: 0 })).toEqual(["agent_offline"]);
    expect(codes({ ...nothing, agent: offline, queue: { ...queue, depth_reported_at: ago(420) } })).toEqual([
      "agent_offline",
    ]);
    expect(codes({ ...nothing, agent: null, watchers_online: 0 })).toEqual(["unknown"]);
  });

  test("distinguish a revoked agent from an offline one", () => {
    const [cause] = causesOf({ ...nothing, agent: { ...agent, revoked_at: ago(30) }, watchers_online: 0 });
    expect(cause).toMatchObject({ code: "agent_offline", since: ago(30) });
    expect(cause?.message).toContain("was revoked");
  });

  test("use the workers of the queue where consumers are not counted", () => {
    const uncounted = { ...queue, consumer_count: 0, consumers_reported_at: null };
    const of = (workers_online: number, workers_offline: number) =>
      codes({ ...nothing, queue: { ...uncounted, workers_online, workers_offline } });
    expect([of(0, 2), of(1, 2), of(0, 0)]).toEqual([["no_consumer"], ["unknown"], ["unknown"]]);
  });

  test("do not name a disabled schedule while another one starts such tasks", () => {
    const schedules = [
      { name: "a", is_enabled: false, reported_at: ago(10) },
      { name: "b", is_enabled: true, reported_at: ago(20) },
    ];
    expect(codes({ ...nothing, schedules })).toEqual(["unknown"]);
  });

  test("leave out an ETA that has passed", () => {
    expect(codes({ ...nothing, task: { ...task, eta: now } })).toEqual(["unknown"]);
  });
});

describe("the causes of a task that a worker has fetched", () => {
  test("name the worker, not the queue", () => {
    expect(codes(held({ queue: { ...queue, paused_since: ago(10), consumer_count: 0 } }))).toEqual(["prefetched"]);
    expect(codes(held({ worker: null }))).toEqual(["prefetched"]);
  });

  test("name the worker when it is offline", () => {
    expect(causesOf(held({ worker: { ...worker, state: "offline", last_heartbeat: ago(300) } }))).toMatchObject([
      { code: "worker_silent", since: ago(300), evidence: { worker: "w1", state: "offline" } },
    ]);
  });
});

describe("the causes of a running task", () => {
  test.each<[string, Facts, string[]]>([
    ["of usual length", run(5), ["unknown"]],
    ["of usual length with lost events", run(5, { losses: [loss] }), ["unknown", "events_lost"]],
    ["longer than usual", run(11), ["running_long"]],
    ["longer than usual with lost events", run(11, { losses: [loss] }), ["events_lost", "running_long"]],
    ["with too few runs to compare", run(500, { runs: { ...runs, count: 19 } }), ["unknown"]],
    ["with no runs to compare and lost events", run(500, { runs: null, losses: [loss] }), ["events_lost"]],
    [
      "whose worker is known only from tasks",
      run(5, { worker: { ...worker, state: "offline", details_at: null } }),
      ["unknown"],
    ],
    [
      "whose worker reported its stop",
      run(5, { worker: { ...worker, state: "offline", details_at: null, state_at: ago(1) } }),
      ["worker_silent"],
    ],
    ["whose worker is offline", run(5, { worker: { ...worker, state: "offline" } }), ["worker_silent"]],
    [
      "whose agent is offline",
      run(11, { agent: offline, watchers_online: 0, worker: { ...worker, state: "offline" } }),
      ["agent_offline", "worker_silent", "running_long"],
    ],
    ["that its worker lists", run(60, { worker: { ...worker, lists_task: true } }), ["running_long"]],
    [
      "that its worker no longer lists",
      run(60, { worker: { ...worker, lists_task: false } }),
      ["events_lost", "running_long"],
    ],
    ["that its worker does not list yet", run(5, { worker: { ...worker, lists_task: false } }), ["unknown"]],
  ])("%s", (_what, facts, wanted) => {
    expect(codes(facts)).toEqual(wanted);
  });

  test("include its run time and the usual run times", () => {
    expect(causesOf(run(60))[0]).toMatchObject({
      evidence: { elapsed_ms: 60_000, p50_ms: 1000, p95_ms: 10_000, p99_ms: 20_000, runs_measured: 50, worker: "w1" },
      since: ago(50),
    });
  });

  test("name the worker as its page does", () => {
    const named = { ...worker, name: "celery@host.example.com" };
    const silent: WorkerFacts = { ...named, state: "offline" };
    const facts = [
      run(60, { worker: { ...named, lists_task: false }, runs: null }),
      run(60, { worker: silent, runs: null }),
      held({ worker: silent }),
      held({ worker: named, task: { ...held().task, worker_name: named.name } }),
    ];
    const causes = facts.flatMap(causesOf);
    expect(causes.map(({ code }) => code)).toEqual(["events_lost", "worker_silent", "worker_silent", "prefetched"]);
    const shown = createMasking(createRedactor()).answer(causes) as typeof causes;
    for (const { message } of shown) expect(message).toMatch(/^Worker celery@host\.example\.com/);
  });

  test("sum the lost events of all intervals", () => {
    const earlier = { ...loss, from: ago(500), to: ago(400), event_records: 4 };
    expect(causesOf(run(550, { runs: null, losses: [loss, earlier] }))).toMatchObject([
      { code: "events_lost", since: ago(500), evidence: { event_records: 7, from: ago(300) } },
    ]);
  });
});

test.each<[TaskState, string]>([
  ["success", "succeeded"],
  ["failure", "failed"],
  ["revoked", "was revoked"],
  ["rejected", "was rejected"],
])("a task in state %s has finished, whatever else is reported", (state, words) => {
  const over = { ...task, state, finished_at: ago(10), runtime_ms: 12, eta: ago(-60) };
  const causes = causesOf({ ...nothing, task: over, losses: [loss] });
  expect(causes).toMatchObject([{ code: "finished", evidence: { state, runtime_ms: 12 }, since: ago(10) }]);
  expect(causes[0]?.message).toContain(words);
});
