import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { type Frame, headerNames } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import type { ApiAnswer, ApiClient, MintedAgent, TestBrain } from "@svc/testkit/brain";
import { connectRaw, createRawPoller, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";
import { type GivenTask, insertTasks } from "./task-rows.ts";

/** What a session must list so that children are sent to it. */
export const retrying = ["bulk_retry", "retry_by_reference_v1"];

export const ableHello = (more: Parameters<typeof rawHello>[0] = {}) =>
  rawHello({ capabilities: { bullmq: retrying }, ...more });

/** Failed tasks `<prefix>-0000` … of the project, straight into the tables. */
export async function failTasks(
  database: Database<Tables>,
  given: Pick<GivenTask, "project_id"> & Partial<GivenTask>,
  count: number,
  prefix = "task",
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(5, "0")}`);
  // Lately: a whole brain deletes tasks that it heard of long ago.
  const received_at = new Date(Date.now() - 3_600_000);
  const failed = { name: "mail", queue: "emails", state: "failure", finished_at: new Date(1000), received_at };
  await insertTasks(
    database,
    ids.map((task_id) => ({ ...failed, ...given, task_id })),
  );
  return ids;
}

/** A command that a raw agent was given, as far as these tests look. */
export interface GivenChild {
  readonly id: string;
  readonly taskId: string;
  readonly token: string;
}

/** The bulk_retry commands that an agent was given, in order. */
export const childrenGiven = (agent: Pick<RawAgent, "frames">): GivenChild[] =>
  agent.frames.flatMap(({ id, type, payload }) => {
    if (type !== "command" || payload?.action !== "bulk_retry") return [];
    const { filter } = payload.parameters as { filter: { task_ids: string[] } };
    return [{ id, taskId: filter.task_ids[0] as string, token: String(payload.delivery_claim_token) }];
  });

/** The child of a task once the agent has it. */
export const whenChild = (agent: Pick<RawAgent, "frames">, id: string | undefined): Promise<GivenChild> =>
  waitFor(() => childrenGiven(agent).find(({ taskId }) => taskId === id));

export interface Reply {
  readonly status?: "success" | "failed";
  readonly error?: string;
  readonly newTaskId?: string;
}

/** What these tests need of an agent, in whichever way it is attached. */
export interface ChildAgent extends Pick<RawAgent, "frames" | "sendFrame" | "settle"> {
  /** Emits `message` when frames have come. */
  readonly socket: Pick<EventEmitter, "on" | "off">;
  /** Resolves when its line is gone. */
  readonly closed: Promise<unknown>;
  close(): Promise<unknown>;
}

/** An agent that polls again and again, until a poll fails, and may be given retries of `bullmq`. */
export async function connectPolling(credentials: Parameters<typeof createRawPoller>[0]): Promise<ChildAgent> {
  const poller = createRawPoller(credentials);
  await poller.probe();
  const frames: Frame[] = [];
  const socket = new EventEmitter();
  const leaving = new AbortController();
  const poll = async (wait: number) => {
    const headers = { [headerNames.retryContracts]: "bullmq=1" };
    const { body } = await poller.poll({ wait }, { headers, signal: leaving.signal });
    frames.push(...poller.open(body.frames));
    socket.emit("message");
  };
  const pollOn = async () => {
    while (!leaving.signal.aborted) await poll(20);
  };
  const closed = pollOn().catch(() => {});
  let uploads = Promise.resolve<unknown>(null);
  return {
    frames,
    socket,
    closed,
    sendFrame(type, payload, id = randomUUID()) {
      const text = poller.sign(type, payload, id);
      uploads = uploads.then(() => poller.upload([text]));
      uploads.catch(() => {}); // whoever settles is told
      return id;
    },
    async settle() {
      await uploads;
      await poll(0);
    },
    async close() {
      leaving.abort();
      await Promise.all([closed, uploads]);
    },
  };
}

/** Reports the outcome of one child. */
export function answer(
  agent: Pick<ChildAgent, "sendFrame">,
  child: GivenChild,
  { status = "success", error, newTaskId }: Reply = {},
): void {
  const entry = {
    task_id: child.taskId,
    status: "success",
    ...(newTaskId !== undefined && { new_task_id: newTaskId }),
  };
  const outcome = status === "success" ? { status, result: { results: [entry] } } : { status, error: error ?? "no" };
  agent.sendFrame("command_result", { ...outcome, delivery_claim_token: child.token }, child.id);
}

/** Answers every child as it comes until `stop`; `reply` null leaves one without an answer. */
export function answering(
  agent: ChildAgent,
  reply: (child: GivenChild) => Reply | null = () => ({}),
): { stop(): void } {
  let answered = 0;
  const look = () => {
    const given = childrenGiven(agent);
    for (const child of given.slice(answered)) {
      const said = reply(child);
      if (said !== null) answer(agent, child, said);
    }
    answered = given.length;
  };
  agent.socket.on("message", look);
  look();
  return { stop: () => agent.socket.off("message", look) };
}

export async function connectAble(
  brain: Pick<TestBrain, "url" | "mintAgent">,
  hello: Parameters<typeof rawHello>[0] = {},
): Promise<{ agent: RawAgent; minted: MintedAgent }> {
  const minted = await brain.mintAgent();
  return { minted, agent: await connectRaw({ url: brain.url, ...minted }, { hello: ableHello(hello) }) };
}

/** The request once it satisfies `isThere`. */
export function whenRequest(
  caller: ApiClient,
  path: string,
  isThere: (body: ApiAnswer["body"]) => boolean,
): Promise<ApiAnswer["body"]> {
  return waitFor(
    async () => {
      const { body } = await caller.get(path);
      return isThere(body) && body;
    },
    { that: "the bulk retry" },
  );
}

let addresses = 0;

/** What an operator asks of bulk retries of the brain, which may still have to start when this is called. */
export function operatorOf(brain: () => TestBrain) {
  const path = (id = "", action = "") =>
    `/projects/${brain().project.slug}/bulk-retry-requests${id === "" ? "" : `/${id}`}${action === "" ? "" : `/${action}`}`;
  return {
    path,
    /** Every request comes from an address of its own: the budget of creations has a test in route-budgets.test.ts. */
    create(body: Record<string, unknown>): Promise<ApiAnswer> {
      addresses += 1;
      const headers = { "x-forwarded-for": `10.1.${addresses >> 8}.${addresses & 255}` };
      return brain().as.operator.post(path(), { idempotency_key: randomUUID(), ...body }, headers);
    },
    act: (id: string, action: "pause" | "resume") => brain().as.operator.post(path(id, action)),
    /** A queue of failed tasks of its own for each test. */
    async failing(count: number, more: Partial<GivenTask> = {}): Promise<{ queue: string; ids: string[] }> {
      const queue = `queue-${randomUUID()}`;
      const { project, running } = brain();
      const ids = await failTasks(running.brain.database, { project_id: project.id, queue, ...more }, count, queue);
      return { queue, ids };
    },
    whenStatus: (id: string, status: string) =>
      whenRequest(brain().as.operator, path(id), (body) => body.status === status),
  };
}
