import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { json } from "node:stream/consumers";
import { canonicalText, createSigner, decodeHmacSecret, encodeHello, parseHelloAck, type Signer } from "@svc/protocol";
import { WebSocket } from "ws";
import type { BenchAgent, BenchBrain } from "../harness/processes.ts";

export const eventsPerFrame = 100;
const maxUnacknowledged = 32;
const msBetweenTasks = 2;
const msBetweenFrames = (eventsPerFrame / 3) * msBetweenTasks;

const queues = ["emails", "billing", "media", "search"];
const names = ["send_receipt", "charge_subscription", "transcode_video", "reindex_product", "thumbnail"];

/** A canonical event_batch payload of 100 events, three per task, each with about 300 bytes of data; tasks are 2 ms apart. */
export function batchPayload(taskBase: number, fromMs: number): string {
  const events: unknown[] = [];
  for (let index = 0; events.length < eventsPerFrame; index += 1) {
    const number = taskBase + index;
    const atMs = fromMs + index * msBetweenTasks;
    const queue = queues[number % queues.length] as string;
    const taskId = `${queue}:${number}`;
    const name = `${queue}.${names[number % names.length]}`;
    const base = { engine: "bench", task_id: taskId };
    const at = (offsetMs: number) => new Date(atMs + offsetMs).toISOString();
    const inputs = {
      order: number,
      customer: `cus_${number.toString(36)}`,
      note: "x".repeat(120),
      locale: "en",
      amount_cents: number % 20_000,
    };
    const facts = { attempt: 0, queue, task_name: name };
    events.push({
      ...base,
      id: randomUUID(),
      kind: "task.received",
      occurred_at: at(0),
      data: { ...facts, args: [], kwargs: inputs, priority: "normal", max_attempts: 3 },
    });
    if (events.length === eventsPerFrame) break;
    events.push({
      ...base,
      id: randomUUID(),
      kind: "task.started",
      occurred_at: at(40),
      data: { ...facts, worker: `worker-${number % 8}`, wait_ms: 40, note: "y".repeat(150) },
    });
    if (events.length === eventsPerFrame) break;
    const end =
      number % 20 === 0
        ? {
            kind: "task.failed",
            data: {
              ...facts,
              worker: `worker-${number % 8}`,
              runtime_ms: 130,
              exception: "Error: upstream 503",
              traceback: "Error: upstream 503\n    at run (/srv/app.js:1:1)",
            },
          }
        : {
            kind: "task.succeeded",
            data: {
              ...facts,
              worker: `worker-${number % 8}`,
              runtime_ms: 130,
              result: { ok: true, items: [1, 2, 3], note: "z".repeat(120) },
            },
          };
    events.push({ ...base, id: randomUUID(), occurred_at: at(170), ...end });
  }
  return canonicalText({ events, sealed_at: new Date(fromMs).toISOString() });
}

let tasksUsed = 0;

/** Payloads with new tasks in each call, because the bare loop writes each task once. */
function newPayloads(frames: number): string[] {
  const firstTask = tasksUsed;
  tasksUsed += frames * eventsPerFrame;
  // Start in the recent past, so that fast traffic has no events in the future.
  const fromMs = Date.now() - frames * msBetweenFrames;
  return Array.from({ length: frames }, (_, index) =>
    batchPayload(firstTask + index * eventsPerFrame, fromMs + index * msBetweenFrames),
  );
}

export interface WsSession {
  readonly socket: WebSocket;
  readonly signer: Signer;
}

export async function connect(port: number, agent: BenchAgent): Promise<WsSession> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/agent`, {
    headers: { authorization: `Bearer ${agent.token}` },
    perMessageDeflate: false,
  });
  const first = new Promise<Buffer>((resolve, reject) => {
    socket.once("message", (data: Buffer) => resolve(data));
    socket.once("close", (code) => reject(new Error(`closed with ${code} before hello_ack`)));
    socket.once("error", reject);
  });
  await new Promise<void>((resolve) => socket.once("open", () => resolve()));
  socket.send(
    encodeHello(
      {
        protocol_version: "2",
        agent_version: "0.1.0",
        framework: "bench",
        engines: ["bench"],
        schedulers: [],
        capabilities: {},
        host: {},
        worker_id: null,
        worker_role: "task",
        worker_pid: null,
        worker_started_at: null,
        runtime_features: [],
      },
      { id: "ev_000000000000" },
    ),
  );
  const ack = parseHelloAck(await first);
  if (!ack.ok) throw new Error(ack.message);
  const { agent_id: agentId, project_id: projectId, session_id: sessionId } = ack.payload;
  return {
    socket,
    signer: createSigner({ secret: decodeHmacSecret(agent.hmacSecret), session: { agentId, projectId, sessionId } }),
  };
}

/** Sends frames over one WebSocket until the last is acknowledged. */
async function blast({ socket }: WsSession, frames: readonly Buffer[]): Promise<void> {
  let sent = 0;
  let acked = 0;
  await new Promise<void>((resolve, reject) => {
    const fill = () => {
      while (sent < frames.length && sent - acked < maxUnacknowledged) {
        socket.send(frames[sent] as Buffer);
        sent += 1;
      }
    };
    socket.on("message", () => {
      acked += 1;
      if (acked === frames.length) resolve();
      else fill();
    });
    socket.on("close", (code) => reject(new Error(`closed with ${code}`)));
    fill();
  });
}

/** Events per second over WebSockets, one per agent, spread over the ports; frames are signed before the clock starts. */
export async function overWebSocket(
  agents: readonly BenchAgent[],
  ports: readonly number[],
  framesPerAgent: number,
): Promise<number> {
  const sessions = await Promise.all(
    agents.map((agent, index) => connect(ports[index % ports.length] as number, agent)),
  );
  const signed = sessions.map(({ signer }) =>
    newPayloads(framesPerAgent).map((payload, frame) =>
      Buffer.from(signer.signText("event_batch", payload, `ev_${String(frame).padStart(12, "0")}`)),
    ),
  );
  const startedMs = performance.now();
  await Promise.all(sessions.map((session, index) => blast(session, signed[index] as Buffer[])));
  const seconds = (performance.now() - startedMs) / 1000;
  for (const { socket } of sessions) socket.close();
  return (framesPerAgent * eventsPerFrame * sessions.length) / seconds;
}

/** Events per second over long-poll uploads of 20 frames, one session per agent; bodies are created before the clock starts. */
export async function overLongpoll(brain: BenchBrain, framesPerAgent: number): Promise<number> {
  const framesPerUpload = 20;
  const uploads = await Promise.all(
    brain.agents.map(async (agent) => {
      const nonce = randomUUID().replaceAll("-", "").slice(0, 22);
      const headers = { authorization: `Bearer ${agent.token}`, "x-svc-session-nonce": nonce };
      await fetch(`${brain.url}/api/v1/agent/commands?wait=0&max_frames=0`, { headers });
      const session = { agentId: agent.agentId, projectId: brain.projectId, sessionId: nonce };
      const signer = createSigner({ secret: decodeHmacSecret(agent.hmacSecret), session });
      const frames = newPayloads(framesPerAgent).map((payload, frame) =>
        signer.signText("event_batch", payload, `ev_${String(frame).padStart(12, "0")}`),
      );
      const bodies: Buffer[] = [];
      for (let start = 0; start < frames.length; start += framesPerUpload) {
        bodies.push(Buffer.from(JSON.stringify({ frames: frames.slice(start, start + framesPerUpload) })));
      }
      return { headers: { ...headers, "content-type": "application/json" }, bodies };
    }),
  );
  const connections = new Agent({ keepAlive: true });
  const startedMs = performance.now();
  await Promise.all(
    uploads.map(async ({ headers, bodies }) => {
      for (const body of bodies) await upload({ port: brain.port, agent: connections, headers }, body);
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  connections.destroy();
  return (framesPerAgent * eventsPerFrame * uploads.length) / seconds;
}

/** One upload, at the least cost for the sender, which shares the cores with the service: `fetch` would copy each body again. */
async function upload(options: RequestOptions, body: Buffer): Promise<void> {
  const sending = request({ ...options, host: "127.0.0.1", method: "POST", path: "/api/v1/agent/events" });
  sending.setHeader("content-length", body.length).end(body);
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  const { rejected } = (await json(answer)) as { rejected: number };
  if (answer.statusCode !== 200 || rejected > 0) {
    throw new Error(`an upload answered ${answer.statusCode}, rejected ${rejected}`);
  }
}
