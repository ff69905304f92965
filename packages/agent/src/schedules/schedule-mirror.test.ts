import type { EventRecord } from "@svc/protocol";
import { createManualClock, waitFor } from "@svc/testkit/peer";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLocalPositions } from "./local-positions.ts";
import { ScheduleMirror } from "./schedule-mirror.ts";
import type { MirroredSchedule, PositionCounter } from "./scheduler-adapter.ts";

const startMs = Date.UTC(2026, 0, 2);
const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();
const readEveryMs = 10_000;
const snapshotEveryMs = 600_000;

function scheduleOf(name: string, more: Partial<MirroredSchedule> = {}): MirroredSchedule {
  return {
    ...{ name, external_id: name, task_name: "report", kind: "cron", expression: "0 3 * * *", timezone: "UTC" },
    ...{ queue: "mail", priority: "normal", args: [], kwargs: {}, is_enabled: true, total_runs: 0 },
    ...more,
  };
}

/** A mirror of an engine that holds `schedules`, with what it reported. */
function startMirror({ positions, isRunning = true }: { positions?: PositionCounter; isRunning?: boolean } = {}) {
  const clock = createManualClock(startMs);
  const events: EventRecord[] = [];
  const warnings: unknown[] = [];
  const state = { schedules: [] as MirroredSchedule[], fault: undefined as Error | undefined, reads: 0 };
  const asked: boolean[] = [];
  const ignore = () => {};
  const mirror = new ScheduleMirror({
    ...{ name: "nightly", engine: "example", readEveryMs, clock },
    positions: positions ?? createLocalPositions(clock),
    ready: () => Promise.resolve(),
    async read(isRequested) {
      asked.push(isRequested);
      state.reads += 1;
      if (state.fault) throw state.fault;
      return state.schedules;
    },
    sink: {
      emit: (batch) => void events.push(...batch),
      lost: ignore,
      ready: async () => {},
      follow: () => () => true,
    },
    log: { debug: ignore, info: ignore, warn: (_, fields) => void warnings.push(fields), error: ignore },
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return {
    mirror,
    clock,
    events,
    warnings,
    state,
    asked,
    stop,
    begin: () => (isRunning ? mirror.run(stop.signal) : Promise.resolve()),
    /** Lets time pass until the next read and waits for its end. */
    async pass(ms = readEveryMs) {
      const before = state.reads;
      clock.advance(ms);
      await waitFor(() => state.reads > before);
      await mirror.report("none", () => Promise.reject(new Error("nothing"))).catch(ignore); // waits for its turn
    },
    kinds: () => events.map(({ kind }) => kind.replace("schedule.", "")),
    placesOf: () => events.map(({ data }) => data.stream),
  };
}

const namesOf = ({ data }: Pick<EventRecord, "data">) => (data.schedules as MirroredSchedule[]).map(({ name }) => name);

describe("a mirror", () => {
  test("reports all schedules at its start, then only what changes", async () => {
    const { begin, state, events, kinds, pass, placesOf } = startMirror();
    state.schedules = [scheduleOf("a"), scheduleOf("b")];
    void begin();
    await waitFor(() => events.length === 1);
    expect(events[0]).toEqual({
      ...{ id: expect.any(String), kind: "schedule.snapshot", engine: "example", task_id: "", occurred_at: at(0) },
      data: {
        ...{ scheduler: "nightly", stream: { epoch: startMs, sequence: 1 }, snapshot_id: expect.any(String) },
        ...{ part: 1, parts: 1, reason: "boot", schedules: state.schedules },
      },
    });

    await pass();
    expect(events.length).toBe(1);
    state.schedules = [scheduleOf("a", { is_enabled: false }), scheduleOf("c")];
    await pass();

    expect(kinds()).toEqual(["snapshot", "updated", "created", "deleted"]);
    expect(events.slice(1).map(({ data: { stream: _, ...data } }) => data)).toEqual([
      { scheduler: "nightly", schedule: state.schedules[0] },
      { scheduler: "nightly", schedule: state.schedules[1] },
      { scheduler: "nightly", name: "b" },
    ]);
    expect(placesOf()).toEqual([1, 2, 3, 4].map((sequence) => ({ epoch: startMs, sequence })));
  });

  test("repeats the snapshot every ten minutes, and on request", async () => {
    const { begin, mirror, events, pass, asked } = startMirror();
    void begin();
    await waitFor(() => events.length === 1);

    await pass(snapshotEveryMs);
    await mirror.resync();

    expect(events.map(({ data }) => data.reason)).toEqual(["boot", "periodic", "command"]);
    expect(new Set(events.map(({ data }) => data.snapshot_id)).size).toBe(3);
    expect(asked.at(-1)).toBe(true);
    expect(asked.slice(0, -1)).not.toContain(true);
  });

  test("cuts a snapshot into parts with consecutive positions", async () => {
    const { begin, state, events } = startMirror();
    state.schedules = Array.from({ length: 430 }, (_, n) => scheduleOf(`s${n}`));
    state.schedules.push(scheduleOf("large", { kwargs: { text: "x".repeat(300_000) } }), scheduleOf("last"));
    void begin();
    await waitFor(() => events.length > 0);

    expect(events.map(({ data }) => [data.part, data.parts, namesOf({ data }).length])).toEqual([
      [1, 5, 200],
      [2, 5, 200],
      [3, 5, 30],
      [4, 5, 1],
      [5, 5, 1],
    ]);
    expect(events.map(({ data }) => (data.stream as { sequence: number }).sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(events.map(({ data }) => data.snapshot_id)).size).toBe(1);
    expect(events.flatMap(namesOf)).toEqual(state.schedules.map(({ name }) => name));
  });

  test("leaves out a second schedule of the same name", async () => {
    const { begin, state, events } = startMirror();
    state.schedules = [scheduleOf("a"), scheduleOf("a", { queue: "other" }), scheduleOf("b")];
    void begin();
    await waitFor(() => events.length === 1);
    expect(events.flatMap(namesOf).sort()).toEqual(["a", "b"]);
    expect(events[0]?.data.schedules).toContainEqual(scheduleOf("a"));
  });

  test("reports runs at most once a minute, with the time of the last one", async () => {
    const { begin, state, events, pass } = startMirror();
    state.schedules = [scheduleOf("a", { next_run_at: at(15) })];
    void begin();
    await waitFor(() => events.length === 1);
    for (const [runs, next] of [
      [1, 25],
      [2, 35],
      [3, 45],
    ] as const) {
      state.schedules = [scheduleOf("a", { total_runs: runs, next_run_at: at(next) })];
      await pass();
    }
    expect(events.length).toBe(1);

    await pass(30_000);

    expect(events[1]?.data.schedule).toEqual(
      scheduleOf("a", { total_runs: 3, next_run_at: at(45), last_run_at: at(15) }),
    );
  });

  test("continues after an error of the engine, which it logs once", async () => {
    const { begin, state, events, warnings, pass } = startMirror();
    state.fault = new Error("not reachable\nsecret");
    void begin();
    await waitFor(() => warnings.length === 1);
    await pass();
    expect(warnings).toEqual([{ scheduler: "nightly", reason: "not reachable" }]);

    state.fault = undefined;
    await pass();

    expect(events.map(({ data }) => data.reason)).toEqual(["boot"]);
  });

  test("reads many schedules less often", async () => {
    const { begin, state, events, clock, pass } = startMirror();
    state.schedules = Array.from({ length: 2000 }, (_, n) => scheduleOf(`s${n}`));
    void begin();
    await waitFor(() => events.length > 0);
    clock.advance(19_999);
    expect(state.reads).toBe(1);
    await pass(1);
    expect(state.reads).toBe(2);
  });
});

describe("a change by a command", () => {
  test("is reported once, not again by the next read", async () => {
    const { begin, mirror, state, events, kinds, pass } = startMirror();
    state.schedules = [scheduleOf("a")];
    void begin();
    await waitFor(() => events.length === 1);
    const disabled = scheduleOf("a", { is_enabled: false });
    state.schedules = [disabled];

    await mirror.report("a", async () => disabled);
    await pass();
    state.schedules = [];
    await mirror.report("a", async () => undefined);
    await pass();

    expect(kinds()).toEqual(["snapshot", "updated", "deleted"]);
    expect(events[2]?.data).toMatchObject({ name: "a", scheduler: "nightly" });
  });

  test("by another process makes it read the state again before it takes a position", async () => {
    const shared = createLocalPositions(createManualClock(startMs));
    const { mirror, state, events } = startMirror({ positions: shared, isRunning: false });
    await shared.take(1, {});
    state.schedules = [scheduleOf("a")];
    let reads = 0;

    await mirror.report("a", async () => {
      reads += 1;
      if (reads === 1) await shared.take(1, {}); // the other process
      return scheduleOf("a", { total_runs: reads });
    });

    expect(events.map(({ data }) => data)).toMatchObject([
      { stream: { epoch: startMs, sequence: 3 }, schedule: { total_runs: 2 } },
    ]);
  });

  test("is reported even if other processes report without end", async () => {
    const shared = createLocalPositions(createManualClock(startMs));
    const { mirror, events } = startMirror({ positions: shared, isRunning: false });
    await shared.take(1, {});

    await mirror.report("a", async () => {
      await shared.take(1, {});
      return scheduleOf("a");
    });

    expect(events.length).toBe(1);
  });
});

test("a new start begins a new epoch, even when the clock was set back", async () => {
  const clock = createManualClock(startMs);
  const positions = createLocalPositions(clock);
  expect(await positions.newest()).toBeUndefined();
  expect(await positions.take(2, { isStart: true })).toEqual({ epoch: startMs, sequence: 1 });
  expect(await positions.newest()).toEqual({ epoch: startMs, sequence: 2 });
  expect(await positions.take(1, {})).toEqual({ epoch: startMs, sequence: 3 });
  expect(await positions.take(1, { isStart: true })).toEqual({ epoch: startMs + 1, sequence: 1 });
});
