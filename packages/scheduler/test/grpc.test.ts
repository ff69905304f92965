import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampOf } from "@svc/protocol";
import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { Value } from "typebox/value";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BrainFault } from "../src/brain/brain.ts";
import { connectBrain } from "../src/brain/grpc-brain.ts";
import { type SchedulerSettings, SchedulerSettingsError, schedulerSettings, startScheduler } from "../src/index.ts";
import { authority, schedulerCertificate, schedulerKey, strangerCertificate, strangerKey } from "./certificates.ts";
import { startGrpcService } from "./grpc-service.ts";

let folder: string;
const cleanUps: (() => Promise<unknown> | unknown)[] = [];
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-scheduler-"));
  const files = { authority, schedulerCertificate, schedulerKey, strangerCertificate, strangerKey };
  for (const [name, text] of Object.entries(files)) await writeFile(file(name), text, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function service(given: Parameters<typeof startGrpcService>[0] = {}) {
  const started = await startGrpcService(given);
  cleanUps.push(started.stop);
  return started;
}

const settingsFor = (port: number, given: Partial<SchedulerSettings> = {}): SchedulerSettings => ({
  ...(Value.Create(schedulerSettings) as Omit<SchedulerSettings, "SVC_ENVIRONMENT">),
  SVC_ENVIRONMENT: "production",
  SVC_SCHEDULER_BRAIN_GRPC_URL: `localhost:${port}`,
  SVC_SCHEDULER_TLS_CA: file("authority"),
  SVC_SCHEDULER_TLS_CERT: file("schedulerCertificate"),
  SVC_SCHEDULER_TLS_KEY: file("schedulerKey"),
  SVC_SCHEDULER_INSTANCE_ID: "test",
  SVC_SCHEDULER_BIND_PORT: 0,
  SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS: 1,
  ...given,
});

async function scheduler(settings: SchedulerSettings, lines: string[] = []) {
  const started = await startScheduler({ settings, log: logTo(lines) });
  cleanUps.push(() => started.stop());
  return started;
}

function logTo(lines: string[]) {
  const write = (event: string, fields = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  return { debug: write, info: write, warn: write, error: write };
}

const everySecond = { kind: "interval", expression: "1" };

describe("a scheduler over gRPC", () => {
  test("fires over mutual TLS, and serves its state", async () => {
    const { port, brain } = await service();
    const schedule = brain.add(everySecond);
    const running = await scheduler(settingsFor(port));

    await waitFor(() => brain.slotsOf(schedule).length >= 2);

    const url = `http://${running.address.host}:${running.address.port}`;
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await (await fetch(`${url}/info`)).json()).toMatchObject({
      version: "0.1.0",
      instance_id: "test",
      leader: true,
      projects: 1,
      schedules: 1,
      watch_healthy: true,
      brain_version: "1.0.0",
      brain_connected: true,
    });
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /svc_scheduler_fires_total\{disposition="accepted"\} [1-9]/,
    );
    const added = brain.add(everySecond);
    await waitFor(() => brain.slotsOf(added).length > 0);
    const slots = brain.slotsOf(schedule);
    expect(slots).toEqual(slots.map((_, index) => slots[0]! + index * 1000));
  });

  test("continues after a restart of the service on the same port", async () => {
    const first = await service();
    const schedule = first.brain.add({ ...everySecond, catchUp: "fire_all_missed" });
    await scheduler(settingsFor(first.port));
    await waitFor(() => first.brain.slotsOf(schedule).length > 0);
    first.stop();
    const fired = first.brain.slotsOf(schedule).length;
    await service({ port: first.port, brain: first.brain });
    await waitFor(() => first.brain.slotsOf(schedule).length > fired + 1);
    const slots = first.brain.slotsOf(schedule);
    expect(slots).toEqual(slots.map((_, index) => slots[0]! + index * 1000));
  });

  test("is refused with a certificate of another authority", async () => {
    const { port, brain } = await service();
    brain.add(everySecond);
    const lines: string[] = [];
    const settings = settingsFor(port, {
      SVC_SCHEDULER_TLS_CERT: file("strangerCertificate"),
      SVC_SCHEDULER_TLS_KEY: file("strangerKey"),
    });
    const running = await scheduler(settings, lines);
    await waitFor(() => lines.some((line) => line.includes("scheduler.snapshot.failed")));
    expect(running.faults()).toEqual(["watch_unhealthy"]);
    expect(brain.calls.size).toBe(0);
  });

  test("trusts only a service of its authority", async () => {
    const { port, brain } = await service();
    const lines: string[] = [];
    await scheduler(settingsFor(port, { SVC_SCHEDULER_TLS_CA: file("strangerCertificate") }), lines);
    await waitFor(() => lines.some((line) => line.includes("scheduler.snapshot.failed")));
    expect(brain.calls.size).toBe(0);
  });

  test("uses plain text in dev", async () => {
    const { port, brain } = await service({ isSecure: false });
    const schedule = brain.add(everySecond);
    await scheduler(settingsFor(port, { SVC_ENVIRONMENT: "dev", SVC_SCHEDULER_INSECURE_GRPC: true }));
    await waitFor(() => brain.slotsOf(schedule).length > 0);
  });

  test("does not start with settings that contradict each other, with unreadable files or on a port in use", async () => {
    const { port } = await service();
    const log = logTo([]);
    const start = (given: Partial<SchedulerSettings>) => startScheduler({ settings: settingsFor(port, given), log });
    await expect(start({ SVC_SCHEDULER_INSECURE_GRPC: true })).rejects.toThrow(SchedulerSettingsError);
    await expect(start({ SVC_SCHEDULER_BIND_HOST: "0.0.0.0" })).rejects.toMatchObject({
      faults: [{ name: "SVC_SCHEDULER_METRICS_AUTH_TOKEN" }],
    });
    await expect(start({ SVC_SCHEDULER_TLS_KEY: file("missing") })).rejects.toMatchObject({
      faults: [{ name: "SVC_SCHEDULER_TLS_KEY", message: "cannot be read (ENOENT)" }],
    });
    await expect(start({ SVC_SCHEDULER_BIND_PORT: port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("calls over gRPC", () => {
  async function connect(port: number) {
    const brain = connectBrain({ target: `127.0.0.1:${port}`, tls: null, keepaliveMs: 10_000, maxBackoffMs: 100 });
    cleanUps.push(() => brain.close());
    return brain;
  }
  const request = {
    schedule_id: "unknown",
    fire_id: "f",
    scheduled_for: timestampOf(new Date("2026-03-01T06:00:00Z")),
    fired_at: null,
    control_token: "",
    definition_digest: "",
    revision: 1,
    expected_next_run_at: null,
    prepared_next_run_at: null,
    cadence_fingerprint: "",
    missed: false,
  };

  test("reject for a refusal, which is not repeated, and without a connection, which is", async () => {
    const { port, stop } = await service({ isSecure: false });
    const brain = await connect(port);
    const refused = await brain.fire({ ...request, scheduled_for: null }, 5000).catch((fault: unknown) => fault);
    expect(refused).toMatchObject({ isTransient: false, message: expect.stringContaining("INVALID_ARGUMENT") });
    stop();
    const unavailable = await brain.ping(5000).catch((fault: unknown) => fault);
    expect(unavailable).toBeInstanceOf(BrainFault);
    expect(unavailable).toMatchObject({ isTransient: true });
  });

  test("share messages when fires begin together, and each has its own answer", async () => {
    const { port, messageSizes } = await service({ isSecure: false });
    const brain = await connect(port);
    const invalid = { ...request, scheduled_for: null };
    const fires = Array.from({ length: 600 }, (_, index) => (index === 300 ? invalid : request));
    const outcomes = await Promise.allSettled(fires.map((fire) => brain.fire(fire, 60_000)));
    expect(outcomes.splice(300, 1)).toMatchObject([
      { status: "rejected", reason: { isTransient: false, message: expect.stringContaining("INVALID_ARGUMENT") } },
    ]);
    const dispositions = outcomes.map((each) => each.status === "fulfilled" && each.value.disposition);
    expect(dispositions).toEqual(Array(599).fill("CADENCE_MISMATCH"));
    expect(messageSizes).toEqual([250, 250, 100]);
  });

  test("reject as transient when the answer takes too long", async () => {
    const { port } = await service({ isSecure: false });
    const network = await startFaultyNetwork({ port });
    cleanUps.push(() => network.close());
    const brain = await connect(network.port);
    await brain.ping(5000);
    network.blackhole();
    const late = await brain.fire(request, 50).catch((fault: unknown) => fault);
    expect(late).toMatchObject({ isTransient: true, message: expect.stringContaining("DEADLINE_EXCEEDED") });
  });

  test("end a stream when its reader stops or aborts it", async () => {
    const { port, brain: model } = await service({ isSecure: false });
    const brain = await connect(port);
    const call = new AbortController();
    for await (const frame of brain.watch({ project_ids: [], after_revision: 0 }, call.signal)) {
      expect(frame.scanned_through).toEqual({ revision: 0, server_revision: 0 });
      break;
    }
    await waitFor(() => model.wakes.size === 0);
    const aborted = (async () => {
      for await (const _frame of brain.watch({ project_ids: [], after_revision: 0 }, call.signal)) call.abort();
    })();
    await expect(aborted).rejects.toBeInstanceOf(BrainFault);
    await waitFor(() => model.wakes.size === 0);
  });

  test("carry a snapshot of thousands of schedules with a digest that matches", async () => {
    const { port, brain: model } = await service({ isSecure: false });
    for (let index = 0; index < 3000; index += 1) model.add({ expression: "0 0 1 1 *", projectId: `p${index % 7}` });
    const running = await scheduler(settingsFor(port, { SVC_ENVIRONMENT: "dev", SVC_SCHEDULER_INSECURE_GRPC: true }));
    await waitFor(() => running.info().watch_healthy);
    expect(running.info()).toMatchObject({ schedules: 3000, projects: 7 });
  });
});
