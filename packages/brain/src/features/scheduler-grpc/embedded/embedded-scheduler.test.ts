import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeClock } from "@svc/testkit";
import { useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { certificateFor, schedulerClient, startSchedulerGrpc } from "../../../../test/schedulers/scheduler-fixture.ts";
import { days } from "../../../platform/durations.ts";
import { createLog } from "../../../platform/log.ts";
import { SettingsError } from "../../../platform/settings.ts";
import { statusCodes } from "../status-codes.ts";
import {
  createEmbeddedScheduler,
  type EmbeddedConnection,
  type EmbeddedDeps,
  type EmbeddedScheduler,
} from "./embedded-scheduler.ts";

const opened = useTestDatabase("sqlite");
let folder: string;
let server: Awaited<ReturnType<typeof startSchedulerGrpc>>;
let embedded: EmbeddedScheduler | null;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-embedded-"));
  server = await startSchedulerGrpc(opened);
  embedded = null;
});
afterEach(async () => {
  await embedded?.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const silent = createLog({ level: "error", json: true, write: () => {} });
const address = { host: "127.0.0.1", port: 7800 };

/** The client that the connection is for. */
function clientOf({ target, certificatePath, keyPath, authorityPath }: EmbeddedConnection) {
  const [certificate, key, authority] = [certificatePath, keyPath, authorityPath].map((path) =>
    readFileSync(path, "utf8"),
  );
  return schedulerClient(Number(target.split(":")[1]), { certificate: certificate!, key: key! }, authority);
}

/** A scheduler that only calls the service once, as each of the given attempts says. */
function create(attempts: readonly (Error | null)[], given: Partial<EmbeddedDeps> & { env?: object } = {}) {
  const connections: EmbeddedConnection[] = [];
  const calls: string[] = [];
  const waits: number[] = [];
  embedded = createEmbeddedScheduler({
    clock: createFakeClock(new Date()),
    log: silent,
    schedulerGrpc: server.grpc,
    wait: async (ms) => void waits.push(ms),
    async start(connection) {
      const fault = attempts[connections.push(connection) - 1] ?? null;
      if (fault !== null) throw fault;
      const client = clientOf(connection);
      await client.ping();
      client.close();
      calls.push("started");
      return { address, info: () => ({ leader: true }), stop: async () => void calls.push("stopped") };
    },
    ...given,
    settings: {
      SVC_SCHEDULER_GRPC_ENABLED: false,
      SVC_EMBEDDED_SCHEDULER_PKI_DIR: join(folder, "pki"),
      SVC_EMBEDDED_SCHEDULER_RESTART_MAX_ATTEMPTS: 3,
      SVC_EMBEDDED_SCHEDULER_RESTART_BACKOFF_SECONDS: 2,
      SVC_EMBEDDED_SCHEDULER_SHUTDOWN_GRACE_SECONDS: 10,
      ...given.env,
    },
  });
  return { embedded, connections, calls, waits };
}

const failed = new Error("the port is in use");

describe("the embedded scheduler", () => {
  test("reaches the service with its own certificates, which nothing else accepts", async () => {
    const { embedded, connections, calls } = create([null]);
    expect(embedded.state()).toEqual({ address: null, info: null, error: "it has not started yet" });
    await embedded.start();
    expect(embedded.state()).toEqual({ address, info: { leader: true }, error: null });
    const [connection] = connections;
    expect(connection).toMatchObject({ graceMs: 10_000 });
    const port = Number(connection?.target.split(":")[1]);
    const stranger = schedulerClient(
      port,
      certificateFor("svc-embedded-scheduler"),
      readFileSync(connection!.authorityPath, "utf8"),
    );
    await expect(stranger.ping()).rejects.toMatchObject({ code: statusCodes.UNAVAILABLE });
    stranger.close();
    await embedded.stop();
    expect(calls).toEqual(["started", "stopped"]);
    expect(embedded.state()).toEqual({ address: null, info: null, error: "the service is stopping" });
  });

  test("uses the port of the settings, unless a listener for others does", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.once("listening", resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const set = create([null], { env: { SVC_SCHEDULER_GRPC_BIND_PORT: port } });
    await set.embedded.start();
    expect(set.connections[0]?.target).toBe(`localhost:${port}`);
    await set.embedded.stop();
    const other = create([null], { env: { SVC_SCHEDULER_GRPC_BIND_PORT: port, SVC_SCHEDULER_GRPC_ENABLED: true } });
    await other.embedded.start();
    expect(other.connections[0]?.target).not.toBe(`localhost:${port}`);
  });

  test("is started again when it fails, with doubled pauses", async () => {
    const { embedded, waits, calls } = create([failed, failed, failed, null]);
    await embedded.start();
    expect(embedded.state().error).toBe("the port is in use");
    await expect.poll(() => calls).toEqual(["started"]);
    expect(waits).toEqual([2000, 4000, 8000]);
    expect(embedded.state()).toMatchObject({ error: null });
  });

  test("is given up after the attempts of the settings", async () => {
    const { embedded, connections, waits } = create([failed, failed, failed, failed]);
    await embedded.start();
    await expect.poll(() => connections.length).toBe(4);
    await embedded.stop();
    expect(waits).toHaveLength(3);
    expect(connections).toHaveLength(4);
  });

  test("is not started again while the service stops", async () => {
    const { embedded, connections } = create([failed], {
      wait: (_ms, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    await embedded.start();
    await embedded.stop();
    expect(connections).toHaveLength(1);
  });

  test("refuses the start of the service when its settings are wrong", async () => {
    const wrong = new SettingsError([{ name: "SVC_SCHEDULER_BIND_PORT", source: "environment", message: "is wrong" }]);
    await expect(create([wrong]).embedded.start()).rejects.toBe(wrong);
  });

  test("gets new certificates before they expire, without a restart", async () => {
    const past = days(340);
    const clock = createFakeClock(new Date(Date.now() - past));
    const { embedded, connections, calls } = create([null], { clock });
    embedded.renew();
    expect(connections).toHaveLength(0);
    await embedded.start();
    const connection = connections[0]!;
    const open = clientOf(connection);
    await open.ping();
    const before = readFileSync(connection.authorityPath, "utf8");
    clock.advance(days(304));
    embedded.renew();
    expect(readFileSync(connection.authorityPath, "utf8")).toBe(before);
    clock.advance(days(1));
    embedded.renew();
    const renewed = readFileSync(connection.authorityPath, "utf8");
    expect(renewed).not.toBe(before);
    await open.ping();
    open.close();
    const next = clientOf(connection);
    await next.ping();
    next.close();
    embedded.renew();
    expect(readFileSync(connection.authorityPath, "utf8")).toBe(renewed);
    expect(calls).toEqual(["started"]);
  });
});
