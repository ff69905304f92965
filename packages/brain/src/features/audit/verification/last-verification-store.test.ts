import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Part 2, Audit forwarding and head anchor: scheduled verification; a failed run is logged and does not stop the service.
describe.each(testDialects)("the scheduled verification on %s", (dialect) => {
  let brain: TestBrain;
  const told = async () => {
    const { status, body } = await brain.as.viewer.get("/health/deep");
    return { status, ...body.checks.audit_chain };
  };
  const stateOnly = { status: "ok", activated: true, scope: "state-only" };
  const verified = { finished_at: expect.stringMatching(/\.\d{3}Z$/), rows: expect.any(Number) };

  beforeAll(async () => {
    brain = await startTestBrain({ dialect, env: { SVC_AUDIT_CHAIN_VERIFY_ENABLED: "true" } });
  });
  afterAll(() => brain.stop());

  test("tells how it ended last, whoever asks, and the check of the state stays its own", async () => {
    await brain.runLoop("audit.verify-chain");
    expect(await told()).toEqual({
      ...stateOnly,
      verification: { enabled: true, last: { ...verified, outcome: "clean" } },
    });

    const { database } = brain.running.brain;
    const oldest = await database.read
      .selectFrom("audit_log")
      .select("id")
      .orderBy("occurred_us")
      .orderBy("id")
      .executeTakeFirstOrThrow();
    await database.write((tx) =>
      tx.updateTable("audit_log").set({ result: "failed" }).where("id", "=", oldest.id).execute(),
    );
    await brain.runLoop("audit.verify-chain");
    expect(await told()).toEqual({
      ...stateOnly,
      verification: { enabled: true, last: { ...verified, outcome: "failed", rows: 0, row_id: oldest.id } },
    });

    await database.write(async (tx) => {
      await tx.deleteFrom("audit_chain_state").execute();
      await tx.deleteFrom("audit_log").execute();
    });
    await expect(brain.runLoop("audit.verify-chain")).rejects.toThrow(/no chain has begun/);
    const { verification } = await told();
    expect(verification).toEqual({
      enabled: true,
      last: { finished_at: verified.finished_at, outcome: "error" },
    });
  });

  test("is told to be off where it is", async () => {
    await using other = await startTestBrain({ dialect });
    const { body } = await other.as.viewer.get("/health/deep");
    expect(body.checks.audit_chain).toEqual({ ...stateOnly, verification: { enabled: false } });
  });
});
