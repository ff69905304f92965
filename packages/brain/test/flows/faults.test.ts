import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, rawEvents } from "@svc/testkit/raw-agent";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";

const credentialsOf = async (brain: TestBrain) => ({
  url: brain.url,
  ...(await brain.mintAgent()),
  projectId: brain.project.id,
});

const storedTasks = async (brain: TestBrain) => {
  const rows = await brain.running.brain.database.read.selectFrom("events").select("task_id").execute();
  return rows.map(({ task_id }) => task_id).sort();
};

/** A database trigger that refuses one task. */
async function poison(brain: TestBrain): Promise<void> {
  const { database } = brain.running.brain;
  const statements =
    database.dialect === "sqlite"
      ? [
          sql`CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.task_id = 'poison'
              BEGIN SELECT raise(ABORT, 'poisoned'); END`,
        ]
      : [
          sql`CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN IF new.task_id = 'poison' THEN RAISE 'poisoned'; END IF; RETURN new; END $$`,
          sql`CREATE TRIGGER poison BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION poison()`,
        ];
  for (const statement of statements) await database.write((tx) => statement.execute(tx));
}

for (const dialect of testDialects) {
  test(`one event that the database refuses does not affect the other 499, on ${dialect}`, async () => {
    await using brain = await startTestBrain({ dialect });
    await poison(brain);
    const agent = await connectRaw(await credentialsOf(brain));
    const events = rawEvents(500, "task");
    events[233] = { ...(events[233] as (typeof events)[number]), task_id: "poison" };
    const ack = await agent.ackOf(agent.sendEvents(events));
    expect(ack).toMatchObject({ received: 500, accepted: 499, rejected: 1 });
    expect(ack.errors).toEqual([`event ${events[233].id}: refused by the database`]);
    const stored = await storedTasks(brain);
    expect(stored).toHaveLength(499);
    expect(stored).not.toContain("poison");

    // Other frames in the same commit are stored completely.
    const ids = Array.from({ length: 10 }, (_, index) =>
      agent.sendEvents(index === 4 ? [{ ...rawEvents(1)[0], task_id: "poison" }] : rawEvents(5)),
    );
    const acks = await Promise.all(ids.map((id) => agent.ackOf(id)));
    expect(acks.map(({ accepted }) => accepted)).toEqual([5, 5, 5, 5, 0, 5, 5, 5, 5, 5]);
  });
}

describe("a SQLite database without space", () => {
  test("acknowledges nothing, reports it, and stores the same events later", async () => {
    await using brain = await startTestBrain({ dialect: "sqlite" });
    const { database } = brain.running.brain;
    const limitPages = (pages: number) =>
      database.write((tx) => sql`PRAGMA max_page_count = ${sql.raw(String(pages))}`.execute(tx));
    const given = await credentialsOf(brain);
    const agent = await connectRaw(given);
    const poller = createRawPoller(await credentialsOf(brain));
    await agent.settle();

    // SQLite accepts no limit below the current size, so nothing new fits.
    await limitPages(1);
    const events = rawEvents(200, "task", { args: ["x".repeat(4000)] });
    const refused = agent.sendEvents(events);
    const frame = poller.sign("event_batch", { events: rawEvents(200, "other", { args: ["x".repeat(4000)] }) });
    const answer = await poller.upload([frame]);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 0, rejected: 1 } });
    expect(answer.body.errors).toEqual(["the database is not available"]);
    await agent.settle();
    expect(agent.acks().map(({ acked_id }) => acked_id)).not.toContain(refused);
    expect(await storedTasks(brain)).toEqual([]);
    const line = brain.logLines.find((text) => text.includes("frames_not_stored"));
    expect(line).toMatch(/database or disk is full/);

    await limitPages(1_073_741_823);
    const again = await connectRaw(given);
    expect((await again.ackOf(again.sendEvents(events))).accepted).toBe(200);
    expect(await storedTasks(brain)).toHaveLength(200);
  });
});

describe("an unreachable PostgreSQL server", () => {
  test("acknowledges nothing, fails readiness, and receives the same events again soon after it is back", async () => {
    const { url, drop } = await migratedDatabaseUrl("postgres");
    const direct = new URL(url);
    const network = await startFaultyNetwork({ host: direct.hostname, port: Number(direct.port) });
    const through = new URL(url);
    through.host = `127.0.0.1:${network.port}`;
    try {
      await using brain = await startTestBrain({ databaseUrl: through.toString() });
      const given = await credentialsOf(brain);
      const agent = await connectRaw(given);
      const poller = createRawPoller(given);
      const { adapter } = await brain.connectAgent();
      expect((await agent.ackOf(agent.sendEvents(rawEvents(3)))).accepted).toBe(3);
      const ready = async () => (await brain.as.anonymous.get("//health/ready")).status;
      expect(await ready()).toBe(200);
      const polling = poller.poll({ wait: 60 });
      await waitFor(() => brain.running.brain.features.commands.work.isWaiting(given.agentId));

      // Under load, so that connections break in the middle of transactions.
      const before = Array.from({ length: 50 }, () => agent.sendEvents(rawEvents(20)));
      await agent.ackOf(before[0] as string);
      network.down();
      const events = rawEvents(30);
      const refused = agent.sendEvents(events);
      adapter.emitTasks(10);
      await waitFor(async () => (await ready()) === 503);
      const upload = await poller.upload([poller.sign("event_batch", { events: rawEvents(1) })]);
      expect(upload).toMatchObject({ status: expect.toSatisfy((status) => status === 503 || status === 200) });
      if (upload.status === 200) expect(upload.body).toMatchObject({ accepted: 0, rejected: 1 });
      expect(agent.acks().map(({ acked_id }) => acked_id)).not.toContain(refused);
      expect((await brain.as.viewer.get(`/projects/${brain.project.slug}/tasks`)).status).toBe(503);
      expect((await brain.as.anonymous.get("//health")).status).toBe(200);

      network.heal();
      await waitFor(async () => (await ready()) === 200);
      // An agent with unacknowledged events is disconnected long before its own deadline for an ack, so that it connects again.
      expect((await agent.closed).code).toBe(1011);
      const again = await waitFor(() => connectRaw(given));
      expect((await again.ackOf(again.sendEvents(events))).received).toBe(30);
      const ids = new Set(await storedTasks(brain));
      for (const { task_id } of events) expect(ids).toContain(task_id);
      await waitFor(async () => (await storedTasks(brain)).filter((id) => id.startsWith("task-")).length === 10);
      // The poll may have outlived the outage.
      await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${given.agentId}`);
      expect((await again.closed).code).toBe(4003);
      expect([401, 503]).toContain((await polling).status);
    } finally {
      await network.close();
      await drop();
    }
  });
});
