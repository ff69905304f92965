import { waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { expect, inject, test } from "vitest";
import { createBullmqAdapter } from "../src/index.ts";
import { bullmqMajors, startApplication } from "./applications.ts";

const isOver = ({ status }: { status: string }) => status !== "pending" && status !== "dispatched";

/** Each database with one major version of BullMQ; the database's part is the same for both. */
const setups = testDialects.flatMap((dialect, index) => {
  const major = bullmqMajors[index % bullmqMajors.length];
  return major === undefined ? [] : [[dialect, major] as const];
});

test.each(setups)(
  "two people who retry one failed job at the same time run it once (%s, BullMQ %s)",
  async (dialect, major) => {
    const redis = inject("redisUrl");
    const app = startApplication(major, redis);
    const brain = await startTestBrain({ dialect });
    try {
      const engines = [createBullmqAdapter({ redis, prefixes: [app.prefix] })];
      const { minted } = await brain.connectAgent({ engines });
      const ran: string[] = [];
      let isWell = false;
      await app.worker("mail", async ({ id }) => {
        if (!isWell) throw new Error("mailbox full");
        ran.push(String(id));
      });
      await app.queue("mail").add("welcome", {}, { jobId: "a" });
      const taskId = `${app.prefix}:mail:a`;
      const state = async (id: string) =>
        (await brain.as.viewer.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(id)}`)).body.state;
      await waitFor(async () => (await state(taskId)) === "failure", { that: "the failure" });
      isWell = true;

      const body = { agent_id: minted.agentId, engine: "bullmq", task_id: taskId };
      const orders = await Promise.all([
        brain.as.operator.post("/projects/shop/commands/retry-task", body),
        brain.as.admin.post("/projects/shop/commands/retry-task", body),
        brain.as.admin.post("/projects/shop/commands/requeue-dead-letter", body),
      ]);
      const ended = await Promise.all(
        orders.map(({ body: { id } }) =>
          waitFor(async () => {
            const { body: command } = await brain.as.operator.get(`/projects/shop/commands/${id}`);
            return isOver(command) && command;
          }),
        ),
      );

      // A later job that succeeds shows that no retry is left in the queue.
      await app.queue("mail").add("last", {}, { jobId: "z" });
      await waitFor(() => ran.includes("z"));
      expect(ended.map(({ status }) => status).sort()).toEqual(["completed", "failed", "failed"]);
      for (const { status, error } of ended)
        if (status === "failed") expect(error).toContain("Only failed jobs can be retried");
      expect(ran).toEqual(["a", "z"]);
      await waitFor(async () => (await state(taskId)) === "success", { that: "the success" });
    } finally {
      await brain.stop();
      await app.close();
    }
  },
);
