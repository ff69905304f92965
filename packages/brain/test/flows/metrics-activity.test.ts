import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, openAgentSocket, openRawSocket, rawEvents } from "@svc/testkit/raw-agent";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const env = {
  SVC_METRICS_PUBLIC: "true",
  SVC_TRUSTED_PROXIES: "127.0.0.1",
  SVC_API_IP_ALLOWLIST: "127.0.0.1",
  SVC_DASHBOARD_IP_ALLOWLIST: "127.0.0.1",
  SVC_AGENT_IP_ALLOWLIST: "127.0.0.1",
};
const outside = { "x-forwarded-for": "192.0.2.1" };

async function scrape(brain: TestBrain): Promise<string> {
  return (await brain.as.anonymous.get("//metrics")).text;
}

/** The value of a series, named as it is exposed; undefined when it is missing. */
async function readingOf(brain: TestBrain, series: string): Promise<number | undefined> {
  const line = (await scrape(brain)).split("\n").find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** How much a counter rises during an activity; a new series counts from 0. */
async function riseOf(brain: TestBrain, series: string, activity: () => Promise<unknown>): Promise<number> {
  const before = (await readingOf(brain, series)) ?? 0;
  await activity();
  return ((await readingOf(brain, series)) ?? 0) - before;
}

const agentOf = async (brain: TestBrain) => connectRaw({ url: brain.url, ...(await brain.mintAgent()) });
const pollerOf = async (brain: TestBrain) =>
  createRawPoller({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });

/** A database trigger that refuses the events of one task. */
async function refuseTask(brain: TestBrain, taskId: string): Promise<void> {
  const { database } = brain.running.brain;
  const task = sql.lit(taskId);
  const statements =
    database.dialect === "sqlite"
      ? [
          sql`CREATE TRIGGER refusal BEFORE INSERT ON events WHEN new.task_id = ${task}
              BEGIN SELECT raise(ABORT, 'refused'); END`,
        ]
      : [
          sql`CREATE FUNCTION refusal() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN IF new.task_id = ${task} THEN RAISE 'refused'; END IF; RETURN new; END $$`,
          sql`CREATE TRIGGER refusal BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refusal()`,
        ];
  for (const statement of statements) await database.write((tx) => statement.execute(tx));
}

for (const dialect of routeDialects) {
  describe(`/metrics on ${dialect} counts activity:`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env });
      // The project's name is read when its first events arrive, and they are counted once it is known.
      const agent = await agentOf(brain);
      await agent.ackOf(agent.sendEvents(rawEvents(1)));
      await waitFor(async () => (await readingOf(brain, 'svc_tasks_total{state="pending"}')) === 1);
      await agent.close();
    });
    afterAll(() => brain.stop());

    test("every metric has the type that its name implies", async () => {
      const text = await scrape(brain);
      const typeOf = (name: string) => new RegExp(`^# TYPE ${name} (\\w+)$`, "m").exec(text)?.[1];
      for (const name of ["svc_tasks_total", "svc_events_dropped_total", "svc_auth_ip_denied_total"])
        expect([name, typeOf(name)]).toEqual([name, "counter"]);
      expect(typeOf("svc_hub_refetch_total")).toBe("counter");
      expect(typeOf("svc_ingest_batch_seconds")).toBe("histogram");
      for (const name of [
        "svc_workers_online",
        "svc_ws_connections",
        "svc_longpoll_sessions",
        "svc_db_pool_size",
        "svc_db_pool_checked_out",
        "svc_hub_subscribers",
      ])
        expect([name, typeOf(name)]).toEqual([name, "gauge"]);
    });

    test("each state change of a task counts once, and repeated or outdated events do not count again", async () => {
      const agent = await agentOf(brain);
      const sent = rawEvents(3, "counted");
      const started = rawEvents(2, "counted").map((event) => ({ ...event, kind: "task.started" }));
      expect(await riseOf(brain, 'svc_tasks_total{state="pending"}', () => agent.ackOf(agent.sendEvents(sent)))).toBe(
        3,
      );
      const startedSeries = 'svc_tasks_total{state="started"}';
      expect(await riseOf(brain, startedSeries, () => agent.ackOf(agent.sendEvents(started)))).toBe(2);
      expect(await riseOf(brain, startedSeries, () => agent.ackOf(agent.sendEvents(started)))).toBe(0);
      const again = async () => {
        await agent.ackOf(agent.sendEvents(sent));
        const earlier = rawEvents(2, "counted", { queue: "other" });
        const occurred_at = new Date(Date.now() - 60_000).toISOString();
        await agent.ackOf(agent.sendEvents(earlier.map((event) => ({ ...event, occurred_at }))));
      };
      expect(await riseOf(brain, 'svc_tasks_total{state="pending"}', again)).toBe(0);
      await agent.close();
    });

    test("each group commit is timed, and a batch with nothing new is not one", async () => {
      const agent = await agentOf(brain);
      const events = rawEvents(1);
      const commits = "svc_ingest_batch_seconds_count";
      const before = (await readingOf(brain, "svc_ingest_batch_seconds_sum")) ?? 0;
      expect(await riseOf(brain, commits, () => agent.ackOf(agent.sendEvents(events)))).toBe(1);
      expect(await readingOf(brain, "svc_ingest_batch_seconds_sum")).toBeGreaterThan(before);
      expect(await riseOf(brain, commits, () => agent.ackOf(agent.sendEvents([])))).toBe(0);
      expect(await readingOf(brain, 'svc_ingest_batch_seconds_bucket{le="+Inf"}')).toBe(
        await readingOf(brain, commits),
      );
      await agent.close();
    });

    test("dropped events count by reason", async () => {
      const agent = await agentOf(brain);
      const [good] = rawEvents(1);
      const old = rawEvents(2).map((event) => ({ ...event, occurred_at: "2001-01-01T00:00:00.000Z" }));
      const dropped = (reason: string, events: unknown[]) =>
        riseOf(brain, `svc_events_dropped_total{reason="${reason}"}`, () => agent.ackOf(agent.sendEvents(events)));
      const misnamed = [
        { ...good, task_id: "x".repeat(201) },
        { ...good, engine: "bull\nmq" },
      ];
      expect(await dropped("invalid", [...rawEvents(1), ...misnamed, "no record", 7])).toBe(2);
      expect(await dropped("retention", old)).toBe(2);
      await refuseTask(brain, "refused-0");
      expect(await dropped("storage", [...rawEvents(1, "refused"), ...rawEvents(4)])).toBe(1);
      await agent.close();
    });

    test("an engine's worker is online while its heartbeat is recent", async () => {
      const series = 'svc_workers_online{project="shop"}';
      const { database, features } = brain.running.brain;
      const agent = await agentOf(brain);
      const named = ["worker-a", "worker-b"].map((worker) => ({
        ...rawEvents(1, worker, { worker })[0],
        kind: "task.started",
      }));
      await agent.ackOf(agent.sendEvents(named));
      await features.workers.flush();
      expect(await readingOf(brain, series)).toBe(2);

      await database.write((tx) =>
        tx
          .updateTable("workers")
          .set({ last_heartbeat: new Date(Date.now() - 3_600_000) })
          .where("name", "=", "worker-a")
          .execute(),
      );
      await brain.runLoop("workers.sweep-silent");
      expect(await readingOf(brain, series)).toBe(1);
      await agent.close();
    });

    test("an agent's socket counts from hello until it closes", async () => {
      const series = "svc_ws_connections";
      await waitFor(async () => (await readingOf(brain, series)) === 0);
      const silent = openAgentSocket(brain.url, (await brain.mintAgent()).token);
      await silent.opened;
      const agents = [await agentOf(brain), await agentOf(brain)];
      expect(await readingOf(brain, series)).toBe(2);
      await agents[0]?.close();
      await waitFor(async () => (await readingOf(brain, series)) === 1);
      await Promise.all([agents[1]?.close(), silent.close()]);
      await waitFor(async () => (await readingOf(brain, series)) === 0);
    });

    test("a long-poll session counts from its first request until its agent is revoked", async () => {
      const series = "svc_longpoll_sessions";
      expect(await readingOf(brain, series)).toBe(0);
      const first = await pollerOf(brain);
      await first.probe();
      await first.upload([first.sign("heartbeat", { buffer_size: 0 })]);
      expect(await readingOf(brain, series)).toBe(1);
      const second = await pollerOf(brain);
      await second.probe();
      expect(await readingOf(brain, series)).toBe(2);
      await brain.as.root.delete(`/projects/shop/agents/${first.session.agentId}`);
      await waitFor(async () => (await readingOf(brain, series)) === 1);
    });

    test("a database connection is checked out while a transaction holds it", async () => {
      const { database } = brain.running.brain;
      expect(await readingOf(brain, "svc_db_pool_size")).toBeGreaterThanOrEqual(1);
      await waitFor(async () => (await readingOf(brain, "svc_db_pool_checked_out")) === 0);
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transaction = database.write(async (tx) => {
        await tx.selectFrom("projects").select("id").execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const [size, checkedOut] = [
        await readingOf(brain, "svc_db_pool_size"),
        await readingOf(brain, "svc_db_pool_checked_out"),
      ];
      release.resolve();
      await transaction;
      expect(checkedOut).toBeGreaterThanOrEqual(1);
      expect(size).toBeGreaterThanOrEqual(checkedOut as number);
      await waitFor(async () => (await readingOf(brain, "svc_db_pool_checked_out")) === 0);
    });

    test("a dashboard counts while its socket is open, and each refetch notice counts", async () => {
      expect(await readingOf(brain, "svc_hub_subscribers")).toBe(0);
      const agent = await agentOf(brain);
      const hub = openRawSocket(`${brain.url}/ws/dashboard`, { cookie: brain.as.viewer.cookie, origin: brain.url });
      await hub.opened;
      hub.send(JSON.stringify({ type: "subscribe", project_id: brain.project.id, topics: ["task.changed"] }));
      await waitFor(() => hub.messages.some((text) => text.includes('"ready"')));
      expect(await readingOf(brain, "svc_hub_subscribers")).toBe(1);

      const refetches = await riseOf(brain, "svc_hub_refetch_total", async () => {
        await agent.ackOf(agent.sendEvents(rawEvents(201)));
        await waitFor(() => hub.messages.some((text) => text.includes('"refetch":true')));
      });
      expect(refetches).toBeGreaterThanOrEqual(1);
      const pushed = await riseOf(brain, "svc_hub_refetch_total", async () => {
        await agent.ackOf(agent.sendEvents(rawEvents(1, "shown")));
        await waitFor(() => hub.messages.some((text) => text.includes("shown-0")));
      });
      expect(pushed).toBe(0);

      await Promise.all([hub.close(), agent.close()]);
      await waitFor(async () => (await readingOf(brain, "svc_hub_subscribers")) === 0);
    });

    test("callers outside an address list count by surface, and callers inside do not", async () => {
      const api = 'svc_auth_ip_denied_total{surface="api"}';
      const agents = 'svc_auth_ip_denied_total{surface="agent"}';
      expect(await riseOf(brain, api, () => brain.as.viewer.get("/projects", outside))).toBe(1);
      expect(await riseOf(brain, api, () => brain.as.anonymous.get("//setup", outside))).toBe(1);
      const poller = await pollerOf(brain);
      expect(await riseOf(brain, agents, () => poller.probe(outside))).toBe(1);
      const { token } = await brain.mintAgent();
      expect(await riseOf(brain, agents, () => openAgentSocket(brain.url, token, outside).closed)).toBe(1);

      const inside = async () => {
        await brain.as.viewer.get("/projects");
        await poller.probe();
      };
      expect(await riseOf(brain, api, inside)).toBe(0);
      expect(await riseOf(brain, agents, inside)).toBe(0);
    });
  });
}
