import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, operatorOf, whenChild } from "../fixtures/bulk-retry-fixture.ts";
import { type CommandFixture, startCommands } from "../fixtures/command-fixture.ts";

/** The minimum of the setting. */
const limitBytes = 8192;

for (const dialect of testDialects) {
  describe(`with the smallest frames on ${dialect}`, () => {
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect, {
        SVC_MAX_WS_FRAME_BYTES: String(limitBytes),
        SVC_TRUSTED_PROXIES: "127.0.0.1",
      });
    });
    afterAll(() => fixture.brain.stop());

    const { create, failing, whenStatus } = operatorOf(() => fixture.brain);
    const retry = (taskId: string, text: string) =>
      fixture.send("retry-task", {
        agent_id: fixture.agentId,
        engine: "bullmq",
        task_id: taskId,
        override_args: [text],
        override_kwargs: {},
      });

    test.each([
      ["ASCII characters", "x", 7000],
      ["characters of three bytes", "€", 2300],
      ["escaped characters", "\u0001", 1100],
    ])(
      "a command of %s is sent while it fits in a frame, and refused above that",
      async (_what, character, fitting) => {
        const { status, body } = await retry("task-1", character.repeat(fitting));
        expect(status).toBe(202);
        await fixture.given(body.id);
        let most = fitting;
        const refused = await (async () => {
          for (;;) {
            const answered = await retry("task-1", character.repeat(most + 100));
            if (answered.status !== 202) return answered;
            most += 100;
            const frame = await fixture.given(answered.body.id);
            expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThanOrEqual(limitBytes);
          }
        })();
        expect([refused.status, refused.body.details.errors[0].type]).toEqual([422, "too_long"]);
      },
    );

    test("a bulk retry sends its tasks", async () => {
      const { queue, ids } = await failing(1);
      const made = await create({ filter: { queue } });
      expect(made.status).toBe(202);
      answer(fixture.agent, await whenChild(fixture.agent, ids[0]));
      await whenStatus(made.body.id, "succeeded");
    });

    test("a bulk retry is refused as a whole when one of its tasks does not fit", async () => {
      const { queue } = await failing(1);
      await failing(1, { queue, name: "x".repeat(limitBytes / 2) });
      const refused = await create({ filter: { queue } });
      expect([refused.status, refused.body.details.errors[0]]).toEqual([
        422,
        expect.objectContaining({ loc: ["body", "filter"], type: "too_long" }),
      ]);
      const { items } = (
        await fixture.brain.as.operator.get(`/projects/${fixture.brain.project.slug}/bulk-retry-requests`)
      ).body;
      expect(items.filter(({ status }: { status: string }) => status !== "succeeded")).toEqual([]);
    });
  });
}
