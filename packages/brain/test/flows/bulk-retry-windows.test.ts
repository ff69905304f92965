import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "@svc/protocol";
import { createFakeClock, type FaultyNetwork, freePort, shareOf, startFaultyNetwork, waitFor } from "@svc/testkit";
import { signIn, startTestBrain, testPassword } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { connectRaw } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReports } from "../../src/features/commands/results/report.ts";
import { createLog } from "../../src/platform/log.ts";
import {
  answer,
  answering,
  type ChildAgent,
  childrenGiven,
  connectPolling,
  eligibleHello,
  failTasks,
  type GivenChild,
} from "../fixtures/bulk-retry-fixture.ts";

/** More than may be in flight, so that some are sent before the kill and some after it. */
const children = 12;
const inFlight = 8;

type Database = Awaited<ReturnType<typeof openDatabaseAt>>;

/** A bulk retry with its own tasks, and the means to bring it into each window. */
interface Retry {
  readonly id: string;
  readonly ids: readonly string[];
  readonly database: Database;
  readonly network: FaultyNetwork;
  /** An agent over a connection that can be damaged; it answers only on demand. */
  connect(): Promise<ChildAgent>;
  create(): Promise<void>;
  kill(): Promise<void>;
  /** Kills the service at this point. */
  killAt(at: "claim-command" | "send-command", doing: () => Promise<ChildAgent>): Promise<void>;
  start(): Promise<void>;
  given(agent: ChildAgent): GivenChild[];
  /** Waits until this number of its commands have the status. */
  whenCommands(status: string, count: number): Promise<void>;
  /** Stores the results of children, as the service does before it processes their request. */
  storeResults(given: readonly GivenChild[]): Promise<void>;
}

interface Window {
  readonly name: string;
  /** Brings the request into the window and kills the service there; returns the tasks sent before. */
  enter(retry: Retry): Promise<readonly GivenChild[]>;
  /** What the agent does after the restart with the tasks it received before; nothing when absent. */
  late?(agent: ChildAgent, given: readonly GivenChild[]): void;
  /** Whether commands in flight time out without a result. */
  timesOut?: true;
  readonly becomes: { readonly status: string; readonly unknown: number };
}

const windows: readonly Window[] = [
  {
    name: "sealed, before the first claim",
    async enter(retry) {
      await retry.create();
      await retry.kill();
      return [];
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "claimed, before a session is given the commands",
    async enter(retry) {
      // The agent disconnects with this process, and the next one still considers it connected.
      await retry.connect();
      await retry.kill();
      await retry.start();
      await retry.create();
      await retry.whenCommands("pending", inFlight);
      await retry.kill();
      return [];
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "given to a session, before they are sent",
    async enter(retry) {
      const agent = await retry.connect();
      retry.network.blackhole();
      await retry.create();
      await retry.whenCommands("dispatched", inFlight);
      await retry.kill();
      retry.network.cut();
      retry.network.heal();
      await agent.closed;
      return retry.given(agent);
    },
    timesOut: true,
    becomes: { status: "indeterminate", unknown: inFlight },
  },
  {
    name: "sent, and never executed",
    enter: enterSent,
    timesOut: true,
    becomes: { status: "indeterminate", unknown: inFlight },
  },
  {
    name: "executed, before the result is there",
    enter: enterSent,
    late(agent, given) {
      for (const child of given) answer(agent, child);
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "result stored, before the request notes it",
    async enter(retry) {
      const given = await enterSent(retry);
      await retry.storeResults(given);
      return given;
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "last result stored, before the request finishes",
    async enter(retry) {
      const agent = await retry.connect();
      await retry.create();
      const open = (): GivenChild[] => retry.given(agent).filter(({ taskId }) => retry.ids.indexOf(taskId) > 3);
      const answers = answering(agent, ({ taskId }) => (retry.ids.indexOf(taskId) > 3 ? null : {}));
      await waitFor(() => open().length === inFlight);
      answers.stop();
      await retry.kill();
      await agent.closed;
      await retry.storeResults(open());
      return retry.given(agent);
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "finished",
    async enter(retry) {
      const agent = await retry.connect();
      const answers = answering(agent);
      await retry.create();
      await whenFinished(retry);
      answers.stop();
      await retry.kill();
      await agent.closed;
      return retry.given(agent);
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
];

/** Here only polls create the commands that they take. */
const pollWindows: readonly Window[] = [
  {
    name: "made by a poll, before it claims them",
    async enter(retry) {
      await retry.create();
      await retry.killAt("claim-command", retry.connect);
      await retry.whenCommands("pending", inFlight);
      return [];
    },
    becomes: { status: "succeeded", unknown: 0 },
  },
  {
    name: "claimed by a poll, before they are sent",
    async enter(retry) {
      await retry.create();
      await retry.killAt("send-command", retry.connect);
      await retry.whenCommands("dispatched", inFlight);
      return [];
    },
    timesOut: true,
    becomes: { status: "indeterminate", unknown: inFlight },
  },
  ...windows.filter(({ enter }) => enter === enterSent),
];

async function enterSent(retry: Retry): Promise<readonly GivenChild[]> {
  const agent = await retry.connect();
  await retry.create();
  await waitFor(() => retry.given(agent).length === inFlight);
  await retry.kill();
  await agent.closed;
  return retry.given(agent);
}

const whenFinished = ({ database, id }: Pick<Retry, "database" | "id">) =>
  waitFor(
    () =>
      database.read
        .selectFrom("bulk_retry_requests")
        .selectAll()
        .where("id", "=", id)
        .where("finished_at", "is not", null)
        .executeTakeFirst(),
    { that: "the end of the bulk retry" },
  );

for (const dialect of testDialects) {
  describe(`the service is killed during a bulk retry on ${dialect}`, () => {
    let home: string;
    let databaseUrl: string;
    let drop: () => Promise<void>;
    let port: number;
    let network: FaultyNetwork;
    let credentials: { url: string; token: string; hmacSecret: string; agentId: string };
    let polling: typeof credentials & { projectId: string };
    let projectId: string;
    let database: Database;
    let brain: BrainProcess;
    const start = async () => {
      brain = await startBrainProcess({
        home,
        databaseUrl,
        port,
        killPointFile: join(home, "kill-point"),
        env: { SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: "1", SVC_TRUSTED_PROXIES: "127.0.0.1" },
      });
    };

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "svc-bulk-windows-"));
      ({ url: databaseUrl, drop } = await migratedDatabaseUrl(dialect));
      port = await freePort();
      const prepared = await startTestBrain({ home, databaseUrl });
      projectId = prepared.project.id;
      network = await startFaultyNetwork({ port });
      credentials = { ...(await prepared.mintAgent()), url: `http://127.0.0.1:${network.port}` };
      polling = { ...credentials, ...(await prepared.mintAgent()), projectId };
      await prepared.stop();
      database = await openDatabaseAt(databaseUrl);
      await start();
    });
    afterAll(async () => {
      await brain.kill();
      await network.close();
      await database.close();
      await drop();
      await rm(home, { recursive: true, force: true });
    });

    async function connectSession(): Promise<ChildAgent> {
      const agent = await connectRaw(credentials, { hello: eligibleHello() });
      // From then on its session is known.
      await agent.settle();
      return agent;
    }
    const connectPoll = () => connectPolling(polling);

    async function prepare(connect: () => Promise<ChildAgent>): Promise<Retry> {
      const queue = `queue-${randomUUID()}`;
      const ids = await failTasks(database, { project_id: projectId, queue }, children, queue);
      const commands = () =>
        database.read
          .selectFrom("commands as m")
          .innerJoin("bulk_retry_children as c", "c.command_id", "m.id")
          .selectAll("m")
          .where("c.parent_id", "=", retry.id)
          .execute();
      const retry = {
        id: "",
        ids,
        database,
        network,
        connect,
        async create() {
          const caller = await signIn(brain.url, "operator@example.org", testPassword);
          const body = { idempotency_key: randomUUID(), filter: { queue } };
          const made = await caller.post("/projects/shop/bulk-retry-requests", body);
          expect(made).toMatchObject({ status: 202, body: { counts: { total: children } } });
          retry.id = made.body.id;
        },
        kill: () => brain.kill(),
        async killAt(at: string, doing: () => Promise<ChildAgent>) {
          await writeFile(join(home, "kill-point"), at);
          const agent = await doing();
          await brain.exited;
          await rm(join(home, "kill-point"));
          await agent.closed;
        },
        start,
        given: (agent: ChildAgent) => childrenGiven(agent).filter(({ taskId }) => ids.includes(taskId)),
        async whenCommands(status: string, count: number) {
          await waitFor(async () => (await commands()).filter((row) => row.status === status).length === count);
        },
        async storeResults(given: readonly GivenChild[]) {
          const reports = createReports({
            database,
            clock: createFakeClock(),
            log: createLog({ level: "error", json: true }),
            timeoutSeconds: 60,
            redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
            counted: { moved() {}, late() {} },
            redactor: createRedactor(),
            ended() {},
            late() {},
          });
          for (const { id, taskId, token } of given) {
            const result = { results: [{ task_id: taskId, status: "success" }] };
            await reports.resulted(credentials.agentId, id, { status: "success", result, delivery_claim_token: token });
          }
        },
      };
      return retry;
    }
    /** All commands in flight have timed out. */
    async function timeOut(id: string): Promise<void> {
      const past = new Date(1000);
      await database.write(async (tx) => {
        const sent = tx.selectFrom("bulk_retry_children").select("command_id").where("parent_id", "=", id);
        await tx
          .updateTable("commands")
          .set({ timeout_at: past })
          .where("status", "=", "dispatched")
          .where("id", "in", sent.where("command_id", "is not", null).$castTo<{ command_id: string }>())
          .execute();
        await tx
          .updateTable("bulk_retry_children")
          .set({ claim_deadline_at: past })
          .where("parent_id", "=", id)
          .where("delivery_state", "=", "claimed")
          .execute();
      });
    }

    const allWindows = [
      ...windows.map((window) => ({ ...window, connect: connectSession })),
      ...pollWindows.map((window) => ({ ...window, name: `over long-poll: ${window.name}`, connect: connectPoll })),
    ];
    test.each(shareOf(allWindows, testDialects, dialect))(
      "$name",
      async ({ connect, enter, late, timesOut, becomes }) => {
        const retry = await prepare(connect);
        const before = await enter(retry);
        if (timesOut) await timeOut(retry.id);
        await start();
        const agent = await retry.connect();
        late?.(agent, before);
        const answers = answering(agent);
        const ended = await whenFinished(retry);
        await agent.settle();
        answers.stop();
        const after = retry.given(agent);
        await agent.close();

        const sent = [...before, ...after].map(({ taskId }) => taskId);
        expect(sent).toHaveLength(new Set(sent).size);
        expect(ended).toMatchObject({
          pending_count: 0,
          claimed_count: 0,
          succeeded_count: children - becomes.unknown,
          failed_count: 0,
          unknown_count: becomes.unknown,
        });
        const caller = await signIn(brain.url, "operator@example.org", testPassword);
        const shown = await caller.get(`/projects/shop/bulk-retry-requests/${retry.id}`);
        expect(shown.body.status).toBe(becomes.status);
        const audited = await database.read
          .selectFrom("audit_log")
          .select("action")
          .where("target_id", "=", retry.id)
          .orderBy("occurred_us")
          .execute();
        expect(audited.map(({ action }) => action)).toEqual([
          "bulk_retry_request.created",
          "bulk_retry_request.finished",
        ]);
      },
    );
  });
}
