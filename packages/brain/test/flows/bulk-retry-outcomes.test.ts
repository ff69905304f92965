import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEligible, type GivenChild, operatorOf, whenChild } from "../fixtures/bulk-retry-fixture.ts";

for (const dialect of testDialects) {
  describe(`the outcomes of the children of a bulk retry on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      ({ agent } = await connectEligible(brain));
    });
    afterAll(() => brain.stop());

    const { path, create, failing, whenStatus } = operatorOf(() => brain);
    const report = ({ id, token }: GivenChild, payload: Record<string, unknown>) =>
      agent.sendFrame("command_result", { ...payload, delivery_claim_token: token }, id);

    test("are unknown when the agent reports so, for the command or for its task", async () => {
      const { queue, ids } = await failing(4);
      const { body } = await create({ filter: { queue } });
      const error = "the broker hung up";
      const failure = { status: "failed", error };
      const unknown = { ...failure, outcome: "unknown" };
      const [first, second, third, fourth] = await Promise.all(ids.map((id) => whenChild(agent, id)));
      report(first!, unknown);
      report(second!, { status: "success", result: { results: [{ task_id: ids[1], ...unknown }] } });
      report(third!, failure);
      report(fourth!, { status: "failed", error: "outcome unknown: the agent stopped" });
      const done = await whenStatus(body.id, "indeterminate");
      expect(done.counts).toMatchObject({ succeeded: 0, failed: 2, unknown: 2 });
      const { items } = (await brain.as.operator.get(path(body.id, "children"))).body;
      expect(items.map((item: { outcome: string; error: string }) => [item.outcome, item.error])).toEqual([
        ["unknown", error],
        ["unknown", error],
        ["failed", error],
        ["failed", "outcome unknown: the agent stopped"],
      ]);
    });

    test("are part of the command, whose status is failed", async () => {
      const { queue, ids } = await failing(2);
      const { body } = await create({ filter: { queue } });
      const [first, second] = await Promise.all(ids.map((id) => whenChild(agent, id)));
      report(first!, { status: "failed", error: "no", outcome: "unknown", result: { results: [] } });
      report(second!, { status: "failed", error: "no", outcome: "lost", result: { results: [] } });
      await whenStatus(body.id, "indeterminate");
      const commandOf = async ({ id }: GivenChild, as: "operator" | "viewer" = "operator") =>
        (await brain.as[as].get(`/projects/${brain.project.slug}/commands/${id}`)).body;
      expect(await commandOf(first!)).toMatchObject({ status: "failed", error: "no", result: { outcome: "unknown" } });
      expect(await commandOf(second!)).toMatchObject({ status: "failed", error: "no", result: null });
      expect(await commandOf(first!, "viewer")).toMatchObject({ status: "failed", error: "no", result: null });
    });
  });
}
