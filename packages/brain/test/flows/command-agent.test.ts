import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { createScriptedAdapter, type ScriptedAdapter } from "@svc/testkit/peer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const tokens = ["retry_task", "cancel_task", "purge_queue", "retry_by_reference_v1"];

for (const dialect of routeDialects) {
  describe.each(["ws", "longpoll"] as const)(`commands through a real agent over %s on ${dialect}`, (transport) => {
    let brain: TestBrain;
    let adapter: ScriptedAdapter;
    let agentId: string;
    const executed: { action: string; parameters: unknown }[] = [];
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      adapter = createScriptedAdapter("scripted", tokens);
      adapter.answerCommands(async ({ action, parameters }) => {
        executed.push({ action, parameters });
        return { status: "success", result: action === "purge_queue" ? { purged: 3 } : { task_id: "task-1" } };
      });
      adapter.answerSnapshot(async () => ({ queue_depths: { mails: 3 } }));
      ({
        minted: { agentId },
      } = await brain.connectAgent({ engines: [adapter], transport }));
    });
    afterAll(() => brain.stop());

    const commands = () => `/projects/${brain.project.slug}/commands`;
    async function outcomeOf(name: string, body: Record<string, unknown>) {
      const made = await brain.as.root.post(`${commands()}/${name}`, { agent_id: agentId, ...body });
      expect(made.status).toBe(202);
      return waitFor(async () => {
        const { body: command } = await brain.as.operator.get(`${commands()}/${made.body.id}`);
        return (command.status === "completed" || command.status === "failed") && command;
      });
    }

    test("a retry uses the given inputs", async () => {
      const inputs = { override_args: [1], override_kwargs: { a: "b" } };
      const outcome = await outcomeOf("retry-task", { engine: "scripted", task_id: "task-1", ...inputs });
      expect(outcome).toMatchObject({ status: "completed", result: { task_id: "task-1" }, error: null });
      expect(executed.at(-1)).toMatchObject({ action: "retry_task", parameters: { task_id: "task-1", ...inputs } });
    });

    test("a queue is purged only at the observed depth, or by force", async () => {
      const purge = (more: Record<string, unknown>) => outcomeOf("purge-queue", { queue: "mails", ...more });
      expect(await purge({ observed_depth: 3 })).toMatchObject({ status: "completed", result: { purged: 3 } });
      expect(await purge({ force: true })).toMatchObject({ status: "completed" });
      expect(await purge({ observed_depth: 2 })).toMatchObject({
        status: "failed",
        error: expect.stringContaining("mails has 3 tasks now"),
      });
      expect(await purge({})).toMatchObject({
        status: "failed",
        error: expect.stringContaining("requires a confirm token"),
      });
      expect(executed.filter(({ action }) => action === "purge_queue")).toHaveLength(2);
    });

    test("an unsupported action fails with an error that says so", async () => {
      const outcome = await outcomeOf("pool-resize", { worker_name: "worker-1", delta: 1 });
      expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("pool_grow") });
    });
  });
}
