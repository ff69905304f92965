import type { Frame } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { SqliteError } from "../../platform/database/errors.ts";
import type { Log } from "../../platform/log.ts";
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
  const say = (event: string, fields: Record<string, unknown> = {}) => void said.push({ event, frames: fields.frames });
  const log: Log = { debug() {}, info() {}, warn: say, error: say, child: () => log };
  const dispatch = createDispatch({
    clock,
    log,
    ingest: async () => ({ received: 0, inserted: 0, rejected: 0, errors: [] }),
    seen: async () => true,
    recordSample: async () => {},
    applyHealth: () => {},
    commandAcked: async () => {},
    commandResulted: async () => {},
    ...changes,
  });
  const source = {
    identity,
    workerId: null,
    transport: "ws" as const,
    samples: createSampleLimiter(clock),
    lossWarnings: createLossWarnings(clock, log),
  };
  return { clock, said, send: (frame: Frame) => dispatch(source, frame, "") };
}

const fails = async (): Promise<never> => {
  throw new TypeError("no");
};

describe("a verified frame", () => {
  test.each([
    ["heartbeat", { seen: fails }],
    ["agent_status", { recordSample: fails }],
    ["command_ack", { commandAcked: fails }],
    ["command_result", { commandResulted: fails }],
  ] as const)("%s that fails for good is confirmed, and said once with a count", async (type, changes) => {
    const { clock, said, send } = build(changes);
    for (let round = 0; round < 3; round += 1) expect(await send(frameOf(type))).toEqual({ kind: "confirmed" });
    clock.advance(10_000);
    await send(frameOf(type));
    expect(said).toEqual([
      { event: "agent_transport.frames_dropped", frames: 1 },
      { event: "agent_transport.frames_dropped", frames: 3 },
    ]);
  });

  test("is not confirmed while the database is away", async () => {
    const { send } = build({
      seen: async () => {
        throw new SqliteError("busy", 5);
      },
    });
    expect(await send(frameOf("heartbeat"))).toMatchObject({ kind: "transient" });
  });

  test("with events is not confirmed when ingest fails", async () => {
    const { send } = build({ ingest: fails });
    expect(await send(frameOf("event_batch", { events: [] }))).toMatchObject({ kind: "transient" });
  });

  test("with a loss is warned of once a minute while its counters change", async () => {
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
});
