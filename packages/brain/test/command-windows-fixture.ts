/** A brain and an agent in processes of their own, a network between them, and an operator who orders. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startFaultyNetwork, waitFor } from "@svc/testkit";
import { type AgentProcess, type CarriedOut, startAgentProcess } from "@svc/testkit/agent-process";
import { type ApiAnswer, type ApiClient, signIn, startTestBrain, testPassword } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, type TestDialect } from "@svc/testkit/databases";

export type Transport = "ws" | "longpoll";

const env = {
  SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: "1",
  SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: "1",
  SVC_ARGON2_TIME_COST: "1",
  SVC_ARGON2_MEMORY_COST: "8192",
  SVC_ARGON2_PARALLELISM: "1",
};
/** As many as an agent carries out at once. */
const slots = 16;

export async function startWindows(dialect: TestDialect, transport: Transport) {
  const home = await mkdtemp(join(tmpdir(), "svc-windows-"));
  const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const killPointFile = join(home, "kill-point");
  const prepared = await startTestBrain({ home, databaseUrl, env });
  const minted = await prepared.mintAgent();
  await prepared.stop();
  const database = await openDatabaseAt(databaseUrl);
  const network = await startFaultyNetwork({ port });
  const startBrain = () => startBrainProcess({ home, databaseUrl, port, env, killPointFile });

  let brain: BrainProcess = await startBrain();
  let agent: AgentProcess | null = null;
  const operator: ApiClient = await signIn(url, "operator@example.org", testPassword);
  const agents: AgentProcess[] = [];
  let orders = 0;
  let lastOrdered = "";

  /** The command of a task, in whatever process it was made. */
  async function commandOf(taskId: string): Promise<ApiAnswer["body"] | undefined> {
    const { body } = await operator.get("/projects/shop/commands?limit=200");
    return body.items.find((item: { target_id: string }) => item.target_id === taskId);
  }

  const windows = {
    network,
    brain: () => brain,
    agent: () => agent as AgentProcess,
    async startAgent(): Promise<void> {
      agent = startAgentProcess({
        brainUrl: `http://127.0.0.1:${network.port}`,
        ...{ token: minted.token, hmacSecret: minted.hmacSecret, agentId: minted.agentId },
        ...{ bufferPath: home, transport, pollWaitSeconds: 20 },
      });
      agents.push(agent);
      await windows.ready();
    },
    /** The agent takes commands: one goes there and back. */
    async ready(): Promise<void> {
      const taskId = await waitFor(() => windows.order("cancel-task", "quick").catch(() => null));
      await windows.became(taskId, "completed");
    },
    async killAgent(): Promise<void> {
      await agent?.kill();
      agent = null;
    },
    async restartBrain(): Promise<void> {
      brain = await startBrain();
    },
    /** The brain kills itself at this moment of the next command; gone when this resolves. */
    async dies(at: "send-command" | "receive-result", doing: () => Promise<unknown>): Promise<void> {
      await writeFile(killPointFile, at);
      // Whoever asked may hear nothing of a brain that dies.
      await doing().catch(() => {});
      await brain.gone;
      await rm(killPointFile);
    },
    /** The task of the newest order, also of one whose answer was lost. */
    lastOrdered: () => lastOrdered,
    /** Gives the id of the task that it is about. */
    async order(name = "retry-task", prefix = "task"): Promise<string> {
      orders += 1;
      const taskId = `${prefix}-${orders}`;
      lastOrdered = taskId;
      const what = name === "restart-worker" ? { worker_name: taskId } : { task_id: taskId };
      const body = { agent_id: minted.agentId, engine: "scripted", ...what };
      const made = await operator.post(`/projects/shop/commands/${name}`, body);
      if (made.status !== 202) throw new Error(`ordering answered ${made.status}: ${made.text}`);
      return taskId;
    },
    /** Commands that keep the agent busy, so that what comes next waits for its turn; ended by `endAll`. */
    async occupy(): Promise<string[]> {
      const begun = agent?.begun.length ?? 0;
      const taskIds = await Promise.all(Array.from({ length: slots }, () => windows.order()));
      await waitFor(() => agent?.begun.length === begun + slots, { that: "a busy agent" });
      return taskIds;
    },
    became: (taskId: string, status: string) =>
      waitFor(
        async () => {
          const command = await commandOf(taskId);
          if (command?.status === status) return command;
          throw new Error(`it is ${command?.status}: ${command?.error}`);
        },
        { everyMs: 50, that: `the command of ${taskId} to become ${status}` },
      ),
    acked: (taskId: string) =>
      waitFor(
        async () => {
          const row = await database.read
            .selectFrom("commands")
            .select("acked_at")
            .where("target_id", "=", taskId)
            .executeTakeFirst();
          return row?.acked_at != null;
        },
        { everyMs: 50, that: "an acknowledged command" },
      ),
    /** The time of a command that was sent is over. */
    async passTime(taskId: string): Promise<void> {
      const { numUpdatedRows } = await database.write((tx) =>
        tx
          .updateTable("commands")
          .set({ timeout_at: new Date(Date.now() - 1000) })
          .where("target_id", "=", taskId)
          .where("status", "=", "dispatched")
          .executeTakeFirst(),
      );
      if (numUpdatedRows !== 1n) throw new Error(`the command of ${taskId} is not on its way`);
    },
    /** How often the engine was given a command about the task, in every process. */
    carriedOut: (taskId: string): number =>
      agents.flatMap(({ begun }) => begun).filter((command: CarriedOut) => command.taskId === taskId).length,
    async stop(): Promise<void> {
      await windows.killAgent();
      await network.close();
      await brain.kill();
      await database.close();
      await drop();
      await rm(home, { recursive: true, force: true });
    },
  };
  return windows;
}

export type Windows = Awaited<ReturnType<typeof startWindows>>;
