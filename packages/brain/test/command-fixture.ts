/** A brain with an agent that can do everything about tasks, and the requests that order it about. */
import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import type { TestDialect } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";

export const able = ["retry_task", "cancel_task", "bulk_retry", "requeue_dead_letter", "retry_by_reference_v1"];

export async function startCommands(dialect: TestDialect, env: Record<string, string> = {}) {
  const brain = await startTestBrain({ dialect, env });
  const path = (name: string) => `/projects/${brain.project.slug}/commands${name === "" ? "" : `/${name}`}`;

  async function connect(hello: Parameters<typeof rawHello>[0] = {}) {
    const minted = await brain.mintAgent();
    const connected = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello(hello) });
    // From then on its session is known.
    await connected.settle();
    return { agent: connected, agentId: minted.agentId, minted };
  }
  const { agent, agentId } = await connect({ capabilities: { bullmq: able } });

  const send = (name: string, body: unknown, as: "operator" | "admin" = "operator") =>
    brain.as[as].post(path(name), body);
  const framesOf = (id: string, of: RawAgent = agent) => of.frames.filter((frame) => frame.id === id);
  return {
    brain,
    agent,
    agentId,
    connect,
    path,
    send,
    cancel: (more: Record<string, unknown> = {}) =>
      send("cancel-task", { agent_id: agentId, engine: "bullmq", task_id: "task-1", ...more }),
    framesOf,
    /** The frame of a command, once its agent has it. */
    given: (id: string, of: RawAgent = agent) => waitFor(() => framesOf(id, of)[0]),
    /** Makes a failed task known. */
    async reportFailed(taskId: string, by: RawAgent = agent): Promise<void> {
      const event = {
        id: randomUUID(),
        kind: "task.failed",
        engine: "bullmq",
        task_id: taskId,
        occurred_at: new Date().toISOString(),
        data: { task_name: "mail", queue: "emails", priority: "high" },
      };
      await by.ackOf(by.sendEvents([event]));
    },
  };
}

export type CommandFixture = Awaited<ReturnType<typeof startCommands>>;
