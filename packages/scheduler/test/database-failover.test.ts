import { type FireScheduleRequest, fireIdOf, readTimestamp } from "@svc/protocol";
import { freePort, startFaultyNetwork, waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { Value } from "typebox/value";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Brain } from "../src/brain/brain.ts";
import { connectBrain } from "../src/brain/grpc-brain.ts";
import { type SchedulerSettings, schedulerSettings, startScheduler } from "../src/index.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A service whose connections to PostgreSQL a test can cut, and a scheduler that fires into it over gRPC. */
async function startSite() {
  const database = await migratedDatabaseUrl("postgres");
  onTestFinished(database.drop);
  const through = new URL(database.url);
  const network = await startFaultyNetwork({ host: through.hostname, port: Number(through.port) });
  onTestFinished(network.close);
  through.host = `127.0.0.1:${network.port}`;
  const port = await freePort();
  const brain = await startTestBrain({
    databaseUrl: through.href,
    env: {
      SVC_ENVIRONMENT: "dev",
      SVC_SCHEDULER_GRPC_ENABLED: "true",
      SVC_SCHEDULER_GRPC_INSECURE: "true",
      SVC_SCHEDULER_GRPC_BIND_PORT: String(port),
    },
  });
  onTestFinished(async () => {
    network.heal();
    await brain.stop();
  });
  return { brain, network, connection: connectBrain({ target: `localhost:${port}`, ...connectionOptions }) };
}
const connectionOptions = { tls: null, keepaliveMs: 10_000, maxBackoffMs: 1000 };

const everySecond = {
  ...{ engine: "bullmq", kind: "interval", expression: "1", task_name: "send", catch_up: "fire_all_missed" },
};

describe.runIf(testDialects.includes("postgres"))("a scheduler whose service loses its database", () => {
  test("repeats fires with the same id until they are stored, and each slot has exactly one", async () => {
    const { brain, network, connection } = await startSite();
    const path = `/projects/${brain.project.slug}/schedules`;
    const created = await Promise.all(
      ["a", "b", "c"].map((name) => brain.as.admin.post(path, { name, ...everySecond })),
    );
    const ids = created.map(({ body }) => body.id as string);
    const offers: { readonly request: FireScheduleRequest; readonly answer: string }[] = [];
    const observed: Brain = {
      ...connection,
      async fire(request, timeoutMs) {
        const answered = connection.fire(request, timeoutMs);
        const answer = await answered.then(({ disposition }) => disposition).catch(() => "none");
        offers.push({ request, answer });
        return answered;
      },
    };
    const scheduler = await startScheduler({
      settings: {
        ...(Value.Create(schedulerSettings) as Omit<SchedulerSettings, "SVC_ENVIRONMENT">),
        SVC_ENVIRONMENT: "dev",
        SVC_SCHEDULER_INSTANCE_ID: "test",
        SVC_SCHEDULER_BIND_PORT: 0,
      },
      log: silent,
      brain: observed,
    });
    onTestFinished(() => scheduler.stop());
    const offered =
      (answer: string, from = 0) =>
      (id: string) =>
        offers.slice(from).some((offer) => offer.request.schedule_id === id && offer.answer === answer);
    await waitFor(() => ids.every(offered("ACCEPTED")), { that: "fires" });

    for (let outage = 0; outage < 2; outage += 1) {
      const before = offers.length;
      network.down();
      await waitFor(() => ids.every(offered("RETRY", before)), { that: "fires that the service could not store" });
      const refused = offers.length;
      network.heal();
      await waitFor(() => ids.every(offered("ACCEPTED", refused)), { that: "fires after the outage" });
    }
    // Slots that were due in the outages are fired one after the other.
    await waitFor(() => scheduler.info().oldest_due_seconds === 0 && scheduler.info().in_flight === 0);
    await scheduler.stop();

    const { read } = brain.running.brain.database;
    for (const id of ids) {
      const { control_token, total_runs, next_run_at } = await read
        .selectFrom("schedules")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const fires = await read
        .selectFrom("schedule_fires")
        .selectAll()
        .where("schedule_id", "=", id)
        .orderBy("scheduled_for")
        .execute();
      const first = fires[0]!.scheduled_for.getTime();
      const slots = fires.map((_, index) => new Date(first + index * 1000));
      expect(fires.map(({ scheduled_for }) => scheduled_for)).toEqual(slots);
      expect(fires.map(({ fire_id }) => fire_id)).toEqual(slots.map((slot) => fireIdOf(id, slot, control_token)));
      expect(fires.every(({ status }) => status === "buffered")).toBe(true);
      expect(Number(total_runs)).toBe(fires.length);
      expect(next_run_at?.getTime()).toBe(first + fires.length * 1000);

      const own = offers.filter(({ request }) => request.schedule_id === id);
      const bySlot = Map.groupBy(own, ({ request }) => readTimestamp(request.scheduled_for)?.getTime());
      for (const repeated of bySlot.values())
        expect(new Set(repeated.map(({ request }) => request.fire_id)).size).toBe(1);
      const retried = own.filter(({ answer }) => answer === "RETRY").map(({ request }) => request.fire_id);
      expect(fires.map(({ fire_id }) => fire_id)).toEqual(expect.arrayContaining(retried));
    }
  });
});
