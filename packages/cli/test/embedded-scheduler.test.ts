import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBrainSettings, SettingsError } from "@svc/brain";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain, type TestBrainOptions } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { embeddedScheduler } from "../src/serve/embedded-scheduler.ts";
import { svc } from "./in-process.ts";

let home: string;
let brain: TestBrain | null;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "svc-embedded-"));
  brain = null;
});
afterEach(async () => {
  await brain?.stop();
  await rm(home, { recursive: true, force: true });
});

/** A service as `svc serve` starts it, with these settings. */
async function serve(env: Record<string, string> = {}, options: TestBrainOptions = {}): Promise<TestBrain> {
  const startScheduler = embeddedScheduler({ env: { SVC_HOME: home, ...env }, cwd: home });
  brain = await startTestBrain({ home, env, startScheduler, ...options });
  return brain;
}
const schedulersOf = async ({ as }: TestBrain) => (await as.root.get("/schedulers")).body;
const healthy = (running: TestBrain) =>
  waitFor(async () => {
    const list = await schedulersOf(running);
    return list.healthy === 1 ? list : null;
  });

for (const dialect of testDialects) {
  test(`the embedded scheduler fires schedules on ${dialect}`, async () => {
    const running = await serve({ SVC_EMBEDDED_SCHEDULER: "true" }, { dialect });
    const { schedulers, total } = await healthy(running);
    expect(total).toBe(1);
    expect(schedulers[0]).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      ok: true,
      info: { leader: true, watch_healthy: true },
      error: null,
    });
    // What it serves is what the service reports of it.
    const served = await (await fetch(`${schedulers[0].url}/info`)).json();
    expect(served).toMatchObject({ instance_id: schedulers[0].info.instance_id, leader: true });
    expect((await stat(join(home, "embedded-pki"))).mode & 0o777).toBe(0o700);

    const path = `/projects/${running.project.slug}/schedules`;
    const definition = { engine: "bullmq", kind: "interval", expression: "1", task_name: "mail.send" };
    const { status, body } = await running.as.admin.post(path, { name: "every second", ...definition });
    expect(status).toBe(201);
    const fired = await waitFor(async () => {
      const schedule = (await running.as.viewer.get(`${path}/${body.id}`)).body;
      return schedule.total_runs >= 2 ? schedule : null;
    });
    expect(new Date(fired.last_run_at).getTime()).toBeGreaterThan(new Date(body.created_at).getTime());
  });
}

describe("whether a scheduler runs in the service", () => {
  test("is decided by the database: on SQLite one runs, with free ports", async () => {
    await healthy(await serve());
  });

  test.runIf(testDialects.includes("postgres"))("is decided by the database: on PostgreSQL none runs", async () => {
    expect(await schedulersOf(await serve({}, { dialect: "postgres" }))).toEqual({
      schedulers: [],
      total: 0,
      healthy: 0,
    });
  });

  test("is decided by the setting", async () => {
    expect(await schedulersOf(await serve({ SVC_EMBEDDED_SCHEDULER: "false" }))).toMatchObject({ total: 0 });
  });
});

describe("the embedded scheduler", () => {
  test("uses the ports of the settings", async () => {
    const [grpc, http] = [await freePort(), await freePort()];
    const running = await serve({
      SVC_SCHEDULER_GRPC_BIND_PORT: String(grpc),
      SVC_SCHEDULER_BIND_PORT: String(http),
    });
    const { schedulers } = await healthy(running);
    expect(schedulers[0].url).toBe(`http://127.0.0.1:${http}`);
  });

  test("reports why it does not run, and is started when it can", async () => {
    const port = await freePort();
    const blocked = await startTestBrain({ port, env: { SVC_EMBEDDED_SCHEDULER: "false" } });
    try {
      const running = await serve({
        SVC_SCHEDULER_BIND_PORT: String(blocked.running.port),
        SVC_EMBEDDED_SCHEDULER_RESTART_BACKOFF_SECONDS: "0.1",
        SVC_EMBEDDED_SCHEDULER_RESTART_MAX_ATTEMPTS: "1000",
      });
      expect(await schedulersOf(running)).toMatchObject({
        schedulers: [{ url: "embedded", ok: false, info: null, error: expect.stringContaining("EADDRINUSE") }],
        healthy: 0,
      });
      await blocked.stop();
      await healthy(running);
    } catch (error) {
      await blocked.stop();
      throw error;
    }
  });

  test("names the settings when its port to the service is in use", async () => {
    const port = createServer();
    port.listen(0, "127.0.0.1");
    await once(port, "listening");
    const used = String((port.address() as AddressInfo).port);
    try {
      const env = { SVC_SCHEDULER_GRPC_BIND_PORT: used, SVC_BIND_PORT: String(await freePort()) };
      const { code, err } = await svc(["serve"], { SVC_HOME: home, SVC_LOG_LEVEL: "error", ...env });
      expect(code).toBe(1);
      expect(err).toContain(
        `cannot listen for schedulers on 127.0.0.1:${used} (EADDRINUSE). Choose another one with SVC_SCHEDULER_GRPC_BIND_HOST`,
      );
    } finally {
      port.close();
    }
  });

  test("refuses the start with settings that are wrong", async () => {
    const wrong = { SVC_SCHEDULER_BIND_HOST: "0.0.0.0" };
    await expect(serve(wrong)).rejects.toThrow("SVC_SCHEDULER_METRICS_AUTH_TOKEN");
    await expect(serve({ SVC_SCHEDULER_FIRE_RETRY_MAX: "11" })).rejects.toBeInstanceOf(SettingsError);
  });

  test("is refused in several workers", () => {
    const env = { SVC_HOME: home, SVC_DATABASE_URL: "postgres://localhost/svc", SVC_EMBEDDED_SCHEDULER: "true" };
    expect(() => loadBrainSettings({ env, cwd: home, mint: false, needsServerDatabase: true })).toThrow(
      "SVC_EMBEDDED_SCHEDULER (environment) must not be true for several workers; run svc scheduler serve instead",
    );
  });
});
