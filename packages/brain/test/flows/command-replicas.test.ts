import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { connectRaw, createRawPoller, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("commands between two brain processes on one PostgreSQL", () => {
  let here: TestBrain;
  let there: BrainProcess;
  // The checks that cover lost notifications do not run before the test ends.
  const env = { SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: "3600" };
  beforeAll(async () => {
    here = await startTestBrain({ dialect: "postgres", env });
    const { home, databaseUrl } = here;
    there = await startBrainProcess({ home, databaseUrl, port: await freePort(), env });
  });
  afterAll(async () => {
    await there.kill();
    await here.stop();
  });

  async function order(agentId: string): Promise<string> {
    const { status, body } = await here.as.operator.post(`/projects/${here.project.slug}/commands/cancel-task`, {
      agent_id: agentId,
      engine: "bullmq",
      task_id: "task-1",
    });
    expect(status).toBe(202);
    return body.id;
  }
  const statusOf = async (id: string) =>
    (await here.as.operator.get(`/projects/${here.project.slug}/commands/${id}`)).body.status;
  const hello = rawHello({ capabilities: { bullmq: ["cancel_task"] } });

  test("reach a WebSocket agent at the other process, and its result wakes the caller at this one", async () => {
    const minted = await here.mintAgent();
    const agent = await connectRaw({ url: there.url, ...minted }, { hello });
    await agent.settle();
    const id = await order(minted.agentId);
    const { commands } = here.running.brain.features;
    const waiting = commands.awaitResult(id, { waitMs: 30_000, signal: new AbortController().signal });
    const frame = await waitFor(() => agent.frames.find((one) => one.id === id));
    const echo = { delivery_claim_token: frame.payload?.delivery_claim_token };
    agent.sendFrame("command_result", { status: "success", ...echo }, id);
    expect(await waiting).toMatchObject({ id, status: "completed" });
    await agent.close();
  });

  test("are delivered once to an agent with a connection at each", async () => {
    const minted = await here.mintAgent();
    const agents = [
      await connectRaw({ url: here.url, ...minted }, { hello: { ...hello, worker_id: "one" } }),
      await connectRaw({ url: there.url, ...minted }, { hello: { ...hello, worker_id: "two" } }),
    ];
    for (const agent of agents) await agent.settle();
    const ids = new Set<string>();
    for (let index = 0; index < 20; index += 1) ids.add(await order(minted.agentId));
    const got = () => agents.flatMap(({ frames }) => frames.filter(({ id }) => ids.has(id)).map(({ id }) => id));
    await waitFor(() => got().length >= ids.size);
    for (const agent of agents) await agent.settle();
    expect(got().sort()).toEqual([...ids].sort());
    for (const agent of agents) await agent.close();
  });

  test("wake a poll at the other process", async () => {
    const minted = await here.mintAgent();
    const agent = createRawPoller({ url: there.url, ...minted, projectId: here.project.id });
    await agent.probe();
    const polling = agent.poll({ wait: 30 });
    const id = await order(minted.agentId);
    expect(agent.open((await polling).body.frames).map((frame) => frame.id)).toEqual([id]);
    expect(await statusOf(id)).toBe("dispatched");
  });

  test("wait for their agent when its process dies, and are delivered when it reconnects", async () => {
    const minted = await here.mintAgent();
    const agent = await connectRaw({ url: there.url, ...minted }, { hello });
    await agent.settle();
    await there.kill();
    await agent.closed;
    // The agent is not marked offline yet.
    const id = await order(minted.agentId);
    expect(await statusOf(id)).toBe("pending");
    const again = await connectRaw({ url: here.url, ...minted }, { hello });
    await waitFor(() => again.frames.some((frame) => frame.id === id));
    await again.close();
  });
});
