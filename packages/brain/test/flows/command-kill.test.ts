import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { signIn, startTestBrain, testPassword } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { freshDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandRow } from "../command-rows.ts";

const hello = rawHello({ capabilities: { bullmq: ["cancel_task", "retry_task", "retry_by_reference_v1"] } });
const env = { SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: "1" };

for (const dialect of testDialects) {
  describe(`commands of a brain that is killed on ${dialect}`, () => {
    let home: string;
    let databaseUrl: string;
    let drop: () => Promise<void>;
    let port: number;
    let credentials: { url: string; token: string; hmacSecret: string; agentId: string };
    let projectId: string;
    let brain: BrainProcess;
    const start = () => startBrainProcess({ home, databaseUrl, port, env });

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "svc-commands-"));
      ({ url: databaseUrl, drop } = await freshDatabaseUrl(dialect));
      port = await freePort();
      const prepared = await startTestBrain({ home, databaseUrl, env });
      credentials = { ...(await prepared.mintAgent()), url: `http://127.0.0.1:${port}` };
      projectId = prepared.project.id;
      await prepared.stop();
      brain = await start();
    }, 120_000);
    afterAll(async () => {
      await brain.kill();
      await drop();
      await rm(home, { recursive: true, force: true });
    });

    const connect = async (): Promise<RawAgent> => {
      const agent = await connectRaw(credentials, { hello });
      await agent.settle();
      return agent;
    };
    const operator = () => signIn(credentials.url, "operator@example.org", testPassword);
    async function order(name = "retry-task"): Promise<string> {
      const body = { agent_id: credentials.agentId, engine: "bullmq", task_id: "task-1", worker_name: "worker-1" };
      const made = await (await operator()).post(`/projects/shop/commands/${name}`, body);
      expect(made.status).toBe(202);
      return made.body.id;
    }
    async function became(id: string, status: string) {
      const caller = await operator();
      return waitFor(
        async () => {
          const { body } = await caller.get(`/projects/shop/commands/${id}`);
          return body.status === status && body;
        },
        { withinMs: 30_000, that: `the command to become ${status}` },
      );
    }
    const framesOf = (agent: RawAgent, id: string) => agent.frames.filter((frame) => frame.id === id);
    const answer = (agent: RawAgent, id: string, token: unknown) =>
      agent.sendFrame("command_result", { status: "success", result: {}, delivery_claim_token: token }, id);

    test("before anybody took it, a command is given once its agent comes", async () => {
      const id = await order("restart-worker");
      await brain.kill();
      brain = await start();
      const agent = await connect();
      const frame = await waitFor(() => framesOf(agent, id)[0]);
      answer(agent, id, frame.payload?.delivery_claim_token);
      await became(id, "completed");
      await agent.close();
    });

    test("between claim and send, it looks like one that was sent: it is not sent again, and times out", async () => {
      await brain.kill();
      const database = await openDatabaseAt(databaseUrl);
      const now = new Date();
      const id = "01900000-0000-7000-8000-000000000001";
      await database.write((tx) =>
        tx
          .insertInto("commands")
          .values({
            ...commandRow({ project_id: projectId, agent_id: credentials.agentId, action: "retry_task" }),
            id,
            status: "dispatched",
            delivery_claim_token: "claimed",
            issued_at: now,
            dispatched_at: now,
            last_sent_at: now,
            timeout_at: new Date(now.getTime() + 5000),
          })
          .execute(),
      );
      await database.close();
      brain = await start();
      const agent = await connect();
      const ended = await became(id, "timeout");
      expect(ended.error).toBe("the agent sent no result in time");
      expect(framesOf(agent, id)).toEqual([]);
      await agent.close();
    });

    test("after the send, the agent's result counts at the next brain, and nothing is sent twice", async () => {
      const agent = await connect();
      const id = await order();
      const frame = await waitFor(() => framesOf(agent, id)[0]);
      await brain.kill();
      await agent.closed;
      brain = await start();
      const again = await connect();
      expect(framesOf(again, id)).toEqual([]);
      answer(again, id, frame.payload?.delivery_claim_token);
      await became(id, "completed");
      await again.close();
    });

    test("after the result, a repetition of it changes nothing", async () => {
      const agent = await connect();
      const id = await order();
      const frame = await waitFor(() => framesOf(agent, id)[0]);
      const token = frame.payload?.delivery_claim_token;
      answer(agent, id, token);
      await became(id, "completed");
      await brain.kill();
      brain = await start();
      const again = await connect();
      again.sendFrame("command_result", { status: "failed", error: "twice", delivery_claim_token: token }, id);
      await again.settle();
      expect(await became(id, "completed")).toMatchObject({ status: "completed", error: null });
      await again.close();
    });
  });
}
