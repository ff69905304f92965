import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { bullmqMajors } from "../../../test/applications.ts";
import { startCommanded } from "../../../test/commanded.ts";
import type { RecordingAgent } from "../../../test/recording-agent.ts";

const hour = 3_600_000;
const actions = ["schedule.enable", "schedule.disable", "schedule.trigger_now", "schedule.delete"];

describe.each(bullmqMajors)("job schedulers of BullMQ %s", (major) => {
  const rhythms = [
    ["a pattern", { pattern: "0 3 * * *", tz: "Europe/Berlin" }],
    ["an interval", { every: hour }],
  ] as const;

  /** Scheduler `nightly` of queue `mail`. */
  async function withScheduler(rhythm: object) {
    const commanded = await startCommanded(major);
    const queue = commanded.app.queue("mail");
    await queue.schedule("nightly", rhythm, { name: "report", data: { of: "day" }, opts: { attempts: 3 } });
    const name = commanded.id("nightly");
    const scheduler = commanded.adapter.scheduler?.name;
    const act = (action: string) => commanded.execute(action, { name, scheduler });
    /** Data of the snapshots that an operator asked for. */
    const requested = () =>
      commanded.agent.scheduleEvents
        .filter(({ kind, data }) => kind === "schedule.snapshot" && data.reason === "command")
        .map(({ data }) => data);
    return { ...commanded, queue, scheduler, act, requested };
  }

  test.each(rhythms)("with %s are disabled, and enabled again as they were", async (_, rhythm) => {
    const scheduled = await withScheduler(rhythm);
    await using _scheduled = scheduled;
    const { queue, act } = scheduled;
    const before = (await queue.schedulers()).nightly;

    for (const _ of [1, 2]) expect(await act("schedule.disable")).toEqual({ status: "success", result: {} });
    expect(await queue.schedulers()).toEqual({});
    for (const _ of [1, 2]) expect(await act("schedule.enable")).toEqual({ status: "success", result: {} });

    const after = (await queue.schedulers()).nightly;
    expect(after).toMatchObject({ ...rhythm, name: "report", template: before?.template });
    expect(after?.template).toMatchObject({ data: { of: "day" }, opts: { attempts: 3 } });
    expect(after?.next).toBeGreaterThan(Date.now());
    if ("every" in rhythm) expect(Number(after?.next) - Number(before?.next)).toBe(hour);
    else expect(after?.next).toBe(before?.next);
  });

  test.each(rhythms)("with %s are triggered without moving their next run", async (_, rhythm) => {
    const scheduled = await withScheduler(rhythm);
    await using _scheduled = scheduled;
    const { agent, queue } = scheduled;
    const before = (await queue.schedulers()).nightly?.next;
    const name = scheduled.id("nightly");

    for (const action of ["schedule.trigger_now", "schedule.trigger_now.via_scheduler"])
      expect(await scheduled.execute(action, { name }, { id: "one" })).toMatchObject({ status: "success" });

    const taskId = scheduled.id("svc-one");
    await agent.seen(taskId, "task.received");
    expect(agent.kindsOf(taskId)).toEqual(["sent", "received"]);
    expect(agent.dataOf(taskId, "task.sent")).toMatchObject({
      task_name: "report",
      kwargs: { of: "day" },
      max_attempts: 3,
    });
    expect((await queue.schedulers()).nightly?.next).toBe(before);
  });

  test("keep the rest of their limit over the time in which they are disabled", async () => {
    const scheduled = await withScheduler({ every: hour, limit: 5 });
    await using _ = scheduled;
    const { app, agent, queue, act } = scheduled;
    await act("schedule.disable"); // removes the first job before it started
    await act("schedule.enable");
    expect((await queue.schedulers()).nightly?.limit).toBe(5);
    await act("schedule.delete");
    await queue.schedule("nightly", { every: hour, limit: 5 }, { name: "report" });
    await app.worker("mail", async () => null);
    await waitFor(() => agent.events.some(({ kind }) => kind === "task.succeeded"));

    await act("schedule.disable");
    await act("schedule.enable");

    expect((await queue.schedulers()).nightly?.limit).toBe(4);
  });

  test("that the application created again while they were disabled stay unchanged, and are reported once", async () => {
    const scheduled = await withScheduler({ every: hour });
    await using _ = scheduled;
    const { queue, act, requested } = scheduled;
    await act("schedule.disable");
    await queue.schedule("nightly", { pattern: "0 4 * * *" }, { name: "report v2" });

    await scheduled.execute("schedule.resync", {});
    expect(await act("schedule.enable")).toEqual({ status: "success", result: {} });

    expect(requested()[0]?.schedules).toEqual([expect.objectContaining({ task_name: "report v2", is_enabled: true })]);
    expect((await queue.schedulers()).nightly).toMatchObject({ name: "report v2", pattern: "0 4 * * *" });
    await act("schedule.delete");
    expect(await act("schedule.enable")).toMatchObject({ status: "failed" });
  });

  test("are deleted, enabled or disabled, and then are unknown", async () => {
    const scheduled = await withScheduler({ every: hour });
    await using _ = scheduled;
    const { queue, act } = scheduled;
    await act("schedule.disable");

    expect(await act("schedule.delete")).toEqual({ status: "success", result: {} });
    for (const action of actions)
      expect(await act(action)).toEqual({
        status: "failed",
        error: `Job scheduler ${scheduled.id("nightly")} does not exist.`,
      });

    await queue.schedule("nightly", { every: hour }, { name: "report" });
    expect(await act("schedule.delete")).toEqual({ status: "success", result: {} });
    expect(await queue.schedulers()).toEqual({});
  });

  test("their next job cannot be cancelled separately", async () => {
    const scheduled = await withScheduler({ pattern: "0 3 * * *" });
    await using _ = scheduled;
    const next = (await scheduled.queue.schedulers()).nightly?.next;

    const outcome = await scheduled.execute("cancel_task", { task_id: scheduled.id(`repeat:nightly:${next}`) });

    expect(outcome).toEqual({ status: "failed", error: expect.stringContaining("Disable the scheduler instead.") });
  });

  test("that change are reported with rising positions, whichever process changed them", async () => {
    const scheduled = await withScheduler({ every: hour });
    await using _ = scheduled;
    const { app, agent, scheduler } = scheduled;
    await using other = await startCommanded(major, { prefixes: [app.prefix] });
    const name = scheduled.id("nightly");
    const booted = ({ scheduleEvents }: RecordingAgent) => scheduleEvents.some(({ data }) => data.reason === "boot");
    await waitFor(() => booted(agent) && booted(other.agent));

    await scheduled.execute("schedule.disable", { name });
    await other.execute("schedule.enable", { name });
    await scheduled.execute("schedule.resync", {});
    await other.execute("schedule.delete", { name });

    const events = [...agent.scheduleEvents, ...other.agent.scheduleEvents];
    const placed = events
      .map(({ kind, data }) => ({ kind, data, ...(data.stream as { epoch: number; sequence: number }) }))
      .sort((one, next) => one.epoch - next.epoch || one.sequence - next.sequence);
    const updated = (isEnabled: boolean) => ({ schedule: { name, is_enabled: isEnabled } });
    expect(placed.slice(0, 2).map(({ data }) => data.reason)).toEqual(["boot", "boot"]);
    expect(placed.slice(2)).toMatchObject([
      { kind: "schedule.updated", data: updated(false) },
      { kind: "schedule.updated", data: updated(true) },
      { kind: "schedule.snapshot", data: { part: 1, parts: 1, schedules: [{ name, is_enabled: true }] } },
      { kind: "schedule.deleted", data: { scheduler, name } },
    ]);
    expect(new Set(placed.slice(1).map(({ epoch }) => epoch)).size).toBe(1);
    expect(placed.slice(1).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("are reported as one snapshot, including the disabled ones", async () => {
    const scheduled = await withScheduler({ pattern: "15 0 3 * * *", tz: "Europe/Berlin" });
    await using _ = scheduled;
    const { app, queue, scheduler, act, requested } = scheduled;
    await act("schedule.disable");
    await queue.schedule("hourly", { every: hour }, { name: "tick", data: [1] });

    const outcome = await scheduled.execute("schedule.resync", {});

    expect(outcome).toEqual({ status: "success", result: { schedulers_drained: [scheduler] } });
    const label = `${app.prefix}:mail`;
    expect(requested()[0]).toEqual({
      scheduler,
      stream: { epoch: expect.any(Number), sequence: expect.any(Number) },
      ...{ snapshot_id: expect.any(String), part: 1, parts: 1, reason: "command" },
      schedules: [
        {
          ...{ name: `${label}:hourly`, external_id: "hourly", task_name: "tick", queue: label },
          ...{ kind: "interval", expression: "3600", timezone: "UTC", args: [[1]], kwargs: {} },
          ...{ priority: "normal", is_enabled: true, total_runs: 0, next_run_at: expect.stringMatching(/Z$/) },
        },
        {
          ...{ name: `${label}:nightly`, external_id: "nightly", task_name: "report", queue: label },
          ...{ kind: "cron", expression: "0 3 * * * 15", timezone: "Europe/Berlin", args: [], kwargs: { of: "day" } },
          ...{ priority: "normal", is_enabled: false, total_runs: 0 },
        },
      ],
    });
  });
});
