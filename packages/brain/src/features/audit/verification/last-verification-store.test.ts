import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// A failed verification is logged and does not stop the service.
describe.each(testDialects)("the scheduled verification on %s", (dialect) => {
  let brain: TestBrain;
  const reported = async () => {
    const { status, body } = await brain.as.viewer.get("/health/deep");
    return { status, ...body.checks.audit_chain };
  };
  const stateOnly = { status: "ok", activated: true, scope: "state-only" };
  const verified = { finished_at: expect.stringMatching(/\.\d{3}Z$/), rows: expect.any(Number) };

  beforeAll(async () => {
    brain = await startTestBrain({ dialect, env: { SVC_AUDIT_CHAIN_VERIFY_ENABLED: "true" } });
  });
  afterAll(() => brain.stop());

  test("reports its last result to every user, separately from the check of the state", async () => {
    await brain.runLoop("audit.verify-chain");
    expect(await reported()).toEqual({
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
    expect(await reported()).toEqual({
      ...stateOnly,
      verification: { enabled: true, last: { ...verified, outcome: "failed", rows: 0, row_id: oldest.id } },
    });

    await database.write(async (tx) => {
      await tx.deleteFrom("audit_chain_state").execute();
      await tx.deleteFrom("audit_log").execute();
    });
    await expect(brain.runLoop("audit.verify-chain")).rejects.toThrow(/no chain has begun/);
    const { verification } = await reported();
    expect(verification).toEqual({
      enabled: true,
      last: { finished_at: verified.finished_at, outcome: "error" },
    });
  });

  test("is reported as disabled when it is off", async () => {
    await using other = await startTestBrain({ dialect });
    const { body } = await other.as.viewer.get("/health/deep");
    expect(body.checks.audit_chain).toEqual({ ...stateOnly, verification: { enabled: false } });
  });
});
