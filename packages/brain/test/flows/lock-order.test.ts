import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { rawHello } from "@svc/testkit/raw-agent";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { deleteOldProcesses, markSilent } from "../../src/features/agents/presence/presence-store.ts";
import { unseenQueues } from "../../src/features/queues/unseen-store.ts";
import { bulkDelete } from "../../src/features/tasks/retention/bulk-delete.ts";
import { pruneTaskBatch } from "../../src/features/tasks/retention/prune.ts";
import { takeSilentOffline, unseenWorkers } from "../../src/features/workers/store.ts";

const rounds = 8;
const tasks = 150;
const named = 60;
const ends = ["task.started", "task.succeeded", "task.failed", "worker.online", "worker.offline"];
/** In the future: every row counts as old, so that the sweeps and the writers use the same rows. */
const endOfTime = new Date("2100-01-01T00:00:00.000Z");
const origin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  return Array.from({ length: left.length }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0] as T);
}

/** One event of each task or worker, in random order. */
const someEvents = (kind: string) =>
  shuffled(Array.from({ length: kind.startsWith("worker") ? named : tasks }, (_, index) => index)).map((index) => ({
    id: randomUUID(),
    kind,
    engine: "bullmq",
    task_id: kind.startsWith("worker") ? `worker-${index}` : `task-${index}`,
    occurred_at: new Date(Date.now() - Math.floor(Math.random() * 1000)).toISOString(),
    data: { task_name: "mail", queue: `queue-${index % named}`, worker: `worker-${index % named}` },
  }));

let sequence = 0;
/** Changes of two schedulers' schedules in random order, and snapshots of all. */
function scheduleEvents() {
  const schedule = (index: number) => ({
    ...{ name: `schedule-${index}`, task_name: "mail", kind: "interval", expression: "60" },
    total_runs: Math.floor(Math.random() * 1000),
  });
  return shuffled(["bullmq", "redbeat"]).flatMap((scheduler) =>
    shuffled(Array.from({ length: named }, (_, index) => index)).map((index) => {
      sequence += 1;
      const isSnapshot = index === 0;
      const content = isSnapshot
        ? {
            snapshot_id: randomUUID(),
            part: 1,
            parts: 1,
            schedules: Array.from({ length: 20 }, (_, at) => schedule(at)),
          }
        : { schedule: schedule(index) };
      return {
        ...{
          id: randomUUID(),
          kind: isSnapshot ? "schedule.snapshot" : "schedule.updated",
          engine: "bullmq",
          task_id: "",
        },
        occurred_at: new Date().toISOString(),
        data: { scheduler, stream: { epoch: 1, sequence }, ...content },
      };
    }),
  );
}

/** Agents and sweeps use the same rows concurrently. */
async function oneRound(brain: TestBrain, agents: readonly string[]): Promise<number> {
  const { database, features } = brain.running.brain;
  const projectId = brain.project.id;
  let sent = 0;
  const submit = async (agentId: string) => {
    const events = [...shuffled(ends).flatMap(someEvents), ...scheduleEvents()];
    sent += events.length;
    const outcome = await features.ingest.submit({ projectId, agentId, frameTs: new Date().toISOString(), events });
    expect(outcome).toMatchObject({ inserted: events.length, rejected: 0 });
  };
  const contact = async () => {
    for (const agent_id of shuffled(agents)) {
      await features.agents.heartbeats.seen(
        { agent_id, project_id: projectId, name: "", project_is_active: true },
        "w",
        new Date(),
      );
    }
    await features.agents.flush();
    await Promise.all([features.workers.flush(), features.queues.flush()]);
  };
  const known = await database.read.selectFrom("tasks").select("id").execute();
  const write = database.write;
  await Promise.all([
    ...shuffled(agents).slice(0, 3).map(submit),
    contact(),
    write((tx) => takeSilentOffline(tx, { cutoff: endOfTime, now: new Date() }), { alone: true }),
    write((tx) => markSilent(tx, endOfTime, new Date()), { alone: true }),
    write((tx) => deleteOldProcesses(tx, endOfTime), { alone: true }),
    unseenQueues.remove(database, endOfTime, named),
    unseenWorkers.remove(database, endOfTime, named),
    bulkDelete(
      { database, audit: features.audit, deleted: () => {} },
      { projectId, body: { task_ids: shuffled(known.map(({ id }) => id)).slice(0, 50) }, origin },
    ),
    pruneTaskBatch(database, { cutoff: endOfTime, limit: 50, signal: new AbortController().signal }),
  ]);
  return sent;
}

describe.runIf(testDialects.includes("postgres"))("concurrent writers of the same rows in two brains", () => {
  test("lock rows in one order: no deadlock occurs, and everything is stored", async () => {
    const { url, drop } = await migratedDatabaseUrl("postgres");
    const first = await startTestBrain({ databaseUrl: url });
    const second = await startTestBrain({ databaseUrl: url, home: first.home });
    const brains = [first, second];
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    onTestFinished(async () => {
      await watcher.end();
      await drop();
    });
    const agents: string[] = [];
    for (let index = 0; index < 12; index += 1) agents.push((await first.mintAgent()).agentId);
    const connect = async (brain: TestBrain) => {
      const hello = rawHello({ worker_id: "w" });
      for (const agent_id of shuffled(agents)) {
        const identity = { agent_id, project_id: first.project.id, name: "", project_is_active: true };
        await brain.running.brain.features.agents.presence.connected(identity, hello, new Date());
        await brain.running.brain.features.agents.presence.workerConnected(identity, hello, new Date());
      }
    };

    let sent = 0;
    for (let round = 0; round < rounds; round += 1) {
      await connect(first);
      const [one, other] = await Promise.all(brains.map((brain) => oneRound(brain, agents)));
      sent += (one as number) + (other as number);
    }

    const { rows } = await watcher.query("SELECT count(*)::int AS count FROM events");
    expect(rows[0].count).toBe(sent);
    for (const brain of brains.reverse()) await brain.stop();
    // A PostgreSQL backend reports its statistics when it exits, if not earlier.
    await waitFor(async () => {
      const others = await watcher.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      return others.rows.length === 0;
    });
    const figures = await watcher.query(
      "SELECT deadlocks::int AS deadlocks, xact_commit::int AS commits FROM pg_stat_database WHERE datname = current_database()",
    );
    expect(figures.rows[0]).toEqual({ deadlocks: 0, commits: expect.toSatisfy((commits) => commits > rounds * 20) });
  });
});
