import type { Frame } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { SqliteError } from "../../platform/database/errors.ts";
import type { Log } from "../../platform/log.ts";
import { createAgentLogs } from "./agent-logs.ts";
import { createDispatch, createLossWarnings, createSampleLimiter, type DispatchDeps } from "./dispatch.ts";

const identity = {
  agent_id: "11111111-2222-4333-8444-000000000001",
  project_id: "11111111-2222-4333-8444-000000000002",
  name: "agent",
  project_is_active: true,
};
const frameOf = (type: Frame["type"], payload: Record<string, unknown> = {}): Frame => ({
  v: 2,
  type,
  id: "f",
  ts: "2026-01-02T03:04:05Z",
  payload,
});

function build(changes: Partial<DispatchDeps>) {
  const clock = createFakeClock(new Date("2026-01-02T03:04:05Z"));
  const said: { event: string; frames: unknown }[] = [];
  const fieldsSaid: Record<string, unknown>[] = [];
  const say = (event: string, fields: Record<string, unknown> = {}) => {
    said.push({ event, frames: fields.frames });
    fieldsSaid.push(fields);
  };
  const log: Log = { debug() {}, info: say, warn: say, error: say, child: () => log };
  const agentLogs = createAgentLogs({ clock, log });
  const dispatch = createDispatch({
    agentLogs,
    clock,
    log,
    ingest: async () => ({ received: 0, inserted: 0, rejected: 0, errors: [] }),
    seen: async () => true,
    touched: () => {},
    recordSample: async () => {},
    lossReported: () => {},
    applyHealth: () => {},
    commandAcked: async () => {},
    commandResulted: async () => {},
    ...changes,
  });
  /** Like a connection, each with its own memory. */
  const connect = (agentId = identity.agent_id) => {
    const source = {
      identity: { ...identity, agent_id: agentId },
      workerId: null,
      transport: "ws" as const,
      samples: createSampleLimiter(clock),
      lossWarnings: createLossWarnings(clock, agentLogs.eventsLost),
    };
    return (frame: Frame) => dispatch(source, frame, "");
  };
  return { clock, said, fieldsSaid, connect, send: connect() };
}

const fails = async (): Promise<never> => {
  throw new TypeError("no");
};
const failsAtOnce = () => {
  throw new TypeError("no");
};

/** A heartbeat's loss report with these counters, and 0 for the others. */
const lossOf = (counters: Record<string, unknown>) => ({
  dropped_events: 0,
  telemetry_loss: {
    buffer_id: "b",
    runtime_id: "r",
    capacity_evicted_frames: 0,
    content_rejected_frames: 0,
    event_records: 0,
    command_results: 0,
    other_frames: 0,
    unclassified_frames: 0,
    adapter_events: {},
    ...counters,
  },
});
const isAway = async (): Promise<never> => {
  throw new SqliteError("busy", 5);
};

describe("a verified frame", () => {
  test.each([
    ["heartbeat", { seen: fails }],
    ["agent_status", { recordSample: fails }],
    ["command_ack", { commandAcked: fails }],
    ["command_result", { commandResulted: fails }],
  ] as const)("%s that fails permanently is confirmed, and logged once with a count", async (type, changes) => {
    const { clock, said, send } = build(changes);
    for (let round = 0; round < 3; round += 1) expect(await send(frameOf(type))).toEqual({ kind: "confirmed" });
    clock.advance(60_000);
    await send(frameOf(type));
    expect(said).toEqual([
      { event: "agent_transport.frames_dropped", frames: 1 },
      { event: "agent_transport.frames_dropped", frames: 3 },
    ]);
  });

  test("is not confirmed while the database is unavailable", async () => {
    const { send } = build({ seen: isAway });
    expect(await send(frameOf("heartbeat"))).toMatchObject({ kind: "transient", isUnstored: false });
  });

  test("with events is not confirmed when ingest fails", async () => {
    const { send } = build({ ingest: fails });
    const outcome = await send(frameOf("event_batch", { events: [] }));
    expect(outcome).toEqual({ kind: "transient", message: "could not process the frame" });
  });

  test("with events must be sent again when the database is unavailable", async () => {
    const { send } = build({ ingest: isAway });
    const outcome = await send(frameOf("event_batch", { events: [] }));
    expect(outcome).toMatchObject({ kind: "transient", isUnstored: true });
  });

  test.each([
    ["command_ack", "commandAcked"],
    ["command_result", "commandResulted"],
  ] as const)("%s is tried three more times before it is not confirmed", async (type, store) => {
    for (const [failures, kind] of [
      [3, "confirmed"],
      [4, "transient"],
    ] as const) {
      let calls = 0;
      const { send } = build({
        async [store]() {
          calls += 1;
          if (calls <= failures) await isAway();
        },
      });
      expect(await send(frameOf(type))).toMatchObject({ kind });
      expect(calls).toBe(4);
    }
  });

  test("with events counts as contact once they are stored, and not before", async () => {
    const touched: unknown[] = [];
    const note = (...noted: unknown[]) => void touched.push(noted);
    const { clock, send } = build({ touched: note });
    expect(await send(frameOf("event_batch", { events: [] }))).toMatchObject({ kind: "confirmed" });
    expect(touched).toEqual([[identity, clock.now()]]);

    touched.length = 0;
    await build({ touched: note, ingest: fails }).send(frameOf("event_batch", { events: [] }));
    expect(touched).toEqual([]);
  });

  test("with a loss is logged once a minute while its counters change", async () => {
    const { clock, said, send } = build({});
    const lose = async (dropped: unknown) => send(frameOf("heartbeat", { dropped_events: dropped }));
    await lose(0);
    await lose("many");
    await lose(1);
    await lose(2);
    expect(said).toHaveLength(1);
    clock.advance(60_000);
    await lose(1);
    expect(said).toHaveLength(1);
    await lose(2);
    expect(said).toHaveLength(2);
  });

  test.each([
    [{ dropped_events: 20_000_000 }, { dropped_events: 10_000_000 }],
    [lossOf({ unclassified_frames: 1000 }), { unclassified_frames: 1000 }],
    [lossOf({ command_results: 4, other_frames: 9 }), { command_results: 4, other_frames: 9 }],
    [lossOf({ capacity_evicted_frames: 1 }), { capacity_evicted_frames: 1 }],
    [lossOf({ content_rejected_frames: 1 }), { content_rejected_frames: 1 }],
    [lossOf({ event_records: 5 }), { event_records: 5 }],
    [lossOf({ adapter_events: { bullmq: 2, celery: 3 } }), { adapter_events: 5 }],
  ])("with the loss %j is logged with its counters, whatever an adapter reports", async (payload, counters) => {
    const { said, fieldsSaid, send } = build({ applyHealth: failsAtOnce });
    await send(frameOf("heartbeat", { ...payload, adapter_health: {} }));
    expect(said[0]?.event).toBe("agent_transport.events_lost");
    expect(fieldsSaid[0]).toMatchObject(counters);
    expect(Object.keys(fieldsSaid[0] ?? {})).not.toContain("buffer_id");
  });

  test("with a loss is logged once a minute however often its agent reconnects, and soon for another agent", async () => {
    const { clock, fieldsSaid, connect } = build({});
    const lose = (agentId: string, dropped: number) =>
      connect(agentId)(frameOf("heartbeat", { dropped_events: dropped }));
    for (let n = 1; n <= 600; n += 1) await lose("a", n);
    await lose("b", 1);
    clock.advance(60_000);
    await lose("a", 601);
    expect(fieldsSaid).toMatchObject([
      { agent_id: "a", dropped_events: 1, reports: 1 },
      { agent_id: "b", dropped_events: 1, reports: 1 },
      { agent_id: "a", dropped_events: 601, reports: 600 },
    ]);
  });

  test.each([
    ["registry_delta", "registry_delta", {}],
    ["error", "agent_error", { code: "no_luck" }],
    ["command", "wrong_direction", { type: "command" }],
  ] as const)(
    "%s is logged once a minute with a count, over connections and for each agent",
    async (type, event, about) => {
      const { clock, said, fieldsSaid, connect } = build({});
      const flood = async (agentId: string, frames: number) => {
        for (let n = 0; n < frames; n += 1) await connect(agentId)(frameOf(type, { code: "no_luck" }));
      };
      await flood("a", 500);
      await flood("b", 2);
      clock.advance(60_000);
      await flood("a", 500);
      expect(said).toEqual([1, 1, 500].map((frames) => ({ event: `agent_transport.${event}`, frames })));
      expect(fieldsSaid).toMatchObject(["a", "b", "a"].map((agent_id) => ({ agent_id, ...about })));
    },
  );

  test("with a loss report of zeros is not logged", async () => {
    const { said, send } = build({});
    await send(frameOf("heartbeat", lossOf({ adapter_events: { bullmq: 0 } })));
    expect(said).toEqual([]);
  });
});
