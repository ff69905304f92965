import { type Agent, type EngineAdapter, startAgent } from "@svc/agent";
import { freePort, waitFor } from "@svc/testkit";
import { type ApiClient, signIn } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { createBullmqAdapter } from "../src/index.ts";
import { type Application, startApplication } from "./applications.ts";
import { temporaryFolder } from "./folders.ts";

const account = { email: "root@example.org", password: "correct horse battery" };
const brainSettings = {
  SVC_ARGON2_TIME_COST: "1",
  SVC_ARGON2_MEMORY_COST: "8192",
  SVC_ARGON2_PARALLELISM: "1",
  SVC_REST_MAX_PAGE_SIZE: "1000",
  SVC_BOOTSTRAP_ADMIN_EMAIL: account.email,
  SVC_BOOTSTRAP_ADMIN_PASSWORD: account.password,
};

/** The adapter, the ids of all events that it emitted, in order, and how many of them are about jobs. */
function withLedger(adapter: EngineAdapter) {
  const ledger: string[] = [];
  const counted = { jobEvents: 0 };
  return {
    ledger,
    counted,
    adapter: {
      ...adapter,
      start: (context: Parameters<EngineAdapter["start"]>[0]) =>
        adapter.start({
          ...context,
          sink: {
            ...context.sink,
            emit(batch, cursor) {
              ledger.push(...batch.map((event) => event.id ?? ""));
              counted.jobEvents += batch.filter(({ kind }) => kind.startsWith("task.")).length;
              context.sink.emit(batch, cursor);
            },
          },
        }),
    },
  };
}

describe.each(testDialects)("a brain on %s that is killed under a BullMQ agent", (dialect) => {
  const cleanups: (() => unknown)[] = [];
  let start: () => Promise<BrainProcess>;
  let app: Application;

  beforeEach(async () => {
    const database = await migratedDatabaseUrl(dialect);
    const home = await temporaryFolder();
    cleanups.push(database.drop, home.remove);
    const port = await freePort();
    start = () => startBrainProcess({ home: home.folder, databaseUrl: database.url, port, env: brainSettings });
    app = startApplication("6", inject("redisUrl"));
    cleanups.push(() => app.close());
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A project's agent with the real adapter and its own buffer. */
  async function startWatching(
    brain: BrainProcess,
  ): Promise<{ agent: Agent } & Omit<ReturnType<typeof withLedger>, "adapter">> {
    const admin = await signIn(brain.url, account.email, account.password);
    const minted = await admin.post("/projects/default/agents", { name: "side-car" });
    const buffer = await temporaryFolder();
    const { adapter, ...ledgers } = withLedger(
      createBullmqAdapter({ redis: inject("redisUrl"), prefixes: [app.prefix], queues: ["mail"] }),
    );
    const agent = startAgent({
      brainUrl: brain.url,
      token: minted.body.token,
      hmacSecret: minted.body.hmac_secret,
      engines: [adapter],
      bufferPath: buffer.folder,
      // Enough small frames to expose a wrong order.
      batchWindowMs: 1,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    cleanups.push(buffer.remove, () => agent.stop());
    await agent.ready;
    return { agent, ...ledgers };
  }

  const storedIds = async (api: ApiClient): Promise<string[]> => {
    const { body } = await api.get("/projects/default/events?limit=1000");
    return body.items.map((item: { id: string }) => item.id);
  };

  test("receives everything after its restart: in order, complete, and once", async () => {
    let brain = await start();
    cleanups.push(() => brain.kill());
    const { agent, ledger, counted } = await startWatching(brain);
    await app.worker("mail", async () => null);
    const mail = app.queue("mail");
    for (let n = 0; n < 20; n += 1) await mail.add("job", { n }, { jobId: `up-${n}` });
    await waitFor(() => ledger.length > 0 && agent.status().state === "online");

    await brain.kill();
    for (let n = 0; n < 150; n += 1) await mail.add("job", { n }, { jobId: `down-${n}` });
    await waitFor(() => counted.jobEvents === 170 * 4, { that: "events of every job in the ledger" });
    await waitFor(() => agent.status().bufferDepth > 0 && agent.status().state !== "online");
    brain = await start();
    const api = await signIn(brain.url, account.email, account.password);

    const snapshots: string[][] = [];
    await waitFor(
      async () => {
        const stored = await storedIds(api);
        if (stored.length !== snapshots.at(-1)?.length) snapshots.push(stored);
        return stored.length >= ledger.length;
      },
      { everyMs: 1, that: "every event in the brain" },
    );
    for (const stored of snapshots) expect([...stored].sort()).toEqual(ledger.slice(0, stored.length).sort());
    expect(agent.status().loss).toMatchObject({ event_records: 0, adapter_events: {} });
  });

  test("keeps every event although it is killed repeatedly while jobs run", async () => {
    let brain = await start();
    cleanups.push(() => brain.kill());
    const { agent, ledger, counted } = await startWatching(brain);
    await app.worker("mail", async () => null, { concurrency: 4 });
    let isLoading = true;
    let added = 0;
    const load = (async () => {
      while (isLoading && added < 240) {
        await app.queue("mail").add("job", {}, { jobId: `j${added}` });
        added += 1;
      }
    })();
    for (let kill = 0; kill < 3; kill += 1) {
      const before = ledger.length;
      await waitFor(() => ledger.length > before || added === 240);
      await brain.kill();
      brain = await start();
    }
    isLoading = false;
    await load;

    await waitFor(() => counted.jobEvents === added * 4, { that: "events of every job in the ledger" });
    const api = await signIn(brain.url, account.email, account.password);
    const stored = await waitFor(
      async () => {
        const ids = await storedIds(api);
        return ids.length >= ledger.length && ids;
      },
      { everyMs: 100, that: "every event in the brain" },
    );
    expect(stored.sort()).toEqual(ledger.sort());
    const tasks = await api.get("/projects/default/tasks?state=success&limit=1000");
    expect(tasks.body.items).toHaveLength(added);
    expect(agent.status().loss).toMatchObject({ event_records: 0, adapter_events: {} });
  });
});
