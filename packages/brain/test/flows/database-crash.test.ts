import { createTestDatabase, type DurablePostgres, startDurablePostgres, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { createRawPoller } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLedgerSender } from "./ledger-sender.ts";

const senders = 3;
const acksBeforeCrash = 400;

const runs = testDialects.includes("postgres") && process.env.SVC_TEST_POSTGRES_URL === undefined;

// A crash loses everything that the server has not written to its log, so each acknowledgement below must have waited for that write.
describe.runIf(runs)("a PostgreSQL server that crashes", () => {
  let server: DurablePostgres;
  let brain: TestBrain;
  beforeAll(async () => {
    server = await startDurablePostgres();
    brain = await startTestBrain({ databaseUrl: (await createTestDatabase(server.adminUrl)).url });
  });
  afterAll(async () => {
    await brain?.stop();
    await server?.stop();
  });

  const credentials = async () => ({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });

  async function recover(): Promise<void> {
    await server.start();
    await waitFor(async () => (await brain.as.anonymous.get("//health/ready")).status === 200, { that: "the service" });
  }

  /** Crashes the server and waits until the service uses the recovered one. */
  async function crash(): Promise<void> {
    await server.crash();
    await recover();
  }

  async function auditedTargets(action: string): Promise<(string | null)[]> {
    const rows = brain.running.brain.database.read.selectFrom("audit_log").select("target_id");
    return (await rows.where("action", "=", action).execute()).map(({ target_id }) => target_id);
  }

  test("keeps a change with a response just before the crash, and its audit row", async () => {
    const made = await brain.as.root.post("/projects", { slug: "made", name: "made" });
    await crash();

    expect(made.status).toBe(201);
    expect((await brain.as.root.get("/projects/made")).body.id).toBe(made.body.id);
    expect(await auditedTargets("project.created")).toContain(made.body.id);
    expect((await brain.running.brain.features.audit.verify()).outcome).toBe("clean");
  });

  test("keeps a command accepted just before the crash, then its delivery, then its outcome", async () => {
    const poller = createRawPoller(await credentials());
    await poller.probe();
    const target = { agent_id: poller.session.agentId, engine: "bullmq", task_id: "task-1" };
    const commands = `/projects/${brain.project.slug}/commands`;
    const accepted = await brain.as.operator.post(`${commands}/cancel-task`, target);
    await crash();

    expect(accepted.status).toBe(202);
    const { id } = accepted.body;
    const command = async () => (await brain.as.operator.get(`${commands}/${id}`)).body;
    expect(await command()).toMatchObject({ status: "pending", target_id: "task-1" });
    expect(await auditedTargets("command.issue.cancel_task")).toEqual([id]);

    const polled = await poller.poll({ wait: 0 });
    await crash();
    const [frame] = poller.open(polled.body.frames);
    expect(frame?.id).toBe(id);
    expect(await command()).toMatchObject({ status: "dispatched" });

    const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
    const reported = await poller.upload([
      poller.sign("command_result", { status: "success", result: {}, ...echo }, id),
    ]);
    await crash();
    expect(reported.body).toMatchObject({ accepted: 1, rejected: 0 });
    expect(await command()).toMatchObject({ status: "completed", result: {} });
  });

  test("keeps every acknowledged event once, under load", async () => {
    const given = await credentials();
    const ledgers = Array.from({ length: senders }, (_, index) => createLedgerSender(given, `sender-${index}`));
    await Promise.all(ledgers.map((ledger) => ledger.connect()));
    const acknowledged = () => ledgers.flatMap((ledger) => ledger.acknowledged);
    await waitFor(() => acknowledged().length >= acksBeforeCrash, { everyMs: 1, that: "the acks" });
    await server.crash();
    // The crash proves something only if batches were in progress.
    expect(ledgers.some((ledger) => ledger.open() > 0)).toBe(true);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    await recover();

    for (const ledger of ledgers) ledger.finish();
    await Promise.all(ledgers.map((ledger) => ledger.connect()));
    await waitFor(() => ledgers.every((ledger) => ledger.open() === 0), { that: "the last acks" });
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    const stored = await brain.running.brain.database.read.selectFrom("events").select("id").execute();
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged().sort());
  });
});
