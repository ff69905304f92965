import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connectRaw, openAgentSocket } from "@svc/testkit/raw-agent";
import { firstAgentOf } from "../harness/processes.ts";
import { type BenchRow, note } from "../harness/suite.ts";
import { type Attack, type AttackContext, all, none, within } from "./attack.ts";
import { type AttackedService, prepareSite, type Site, startService } from "./service.ts";

/** Slow connections: the service must close each one, without an effect on other clients. */
const headerBoundSeconds = 10;
const bodyBoundSeconds = 30;
/** The service checks its connections at intervals. */
const slackSeconds = 5;
const countsOf = { quick: 200, standard: 2000, full: 2000 } as const;
const slowReaders = 20;
const smallLimit = 150;
const answerLimitMs = 2000;
const memoryLimitBytes = 200e6;

/** Seconds until the service closed each socket; Infinity for one that was still open at the end. */
async function lifetimes(sockets: readonly Socket[], watchSeconds: number, signal: AbortSignal): Promise<number[]> {
  const startedMs = performance.now();
  const ages = new Array<number>(sockets.length).fill(Number.POSITIVE_INFINITY);
  for (const [index, socket] of sockets.entries()) {
    const ended = () => {
      if (ages[index] === Number.POSITIVE_INFINITY) ages[index] = (performance.now() - startedMs) / 1000;
    };
    if (socket.destroyed || socket.readableEnded) ended();
    socket.once("end", ended).once("close", ended);
    socket.resume();
  }
  const isOpen = () => ages.includes(Number.POSITIVE_INFINITY);
  while (isOpen() && performance.now() - startedMs < watchSeconds * 1000) await pause(100, undefined, { signal });
  for (const socket of sockets) socket.destroy();
  return ages;
}

/** Below the limit of the accept queue: the system reports further ones as open although the service never gets them. */
const openedAtOnce = 256;

async function open(
  port: number,
  count: number,
  options: { first?: string; localAddress?: string } = {},
): Promise<Socket[]> {
  const { first, localAddress } = options;
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(openedAtOnce, count - sockets.length) }, async () => {
      const socket = connect({ port, host: "127.0.0.1", ...(localAddress !== undefined && { localAddress }) });
      socket.on("error", () => {});
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      if (first !== undefined) socket.write(first);
      return socket;
    });
    sockets.push(...(await Promise.all(some)));
    // Connections are accepted in order: once this one is answered, the service has all earlier ones.
    if (sockets.length < count) await statusOnNewConnection(`http://127.0.0.1:${port}`);
  }
  return sockets;
}

const lines = (...texts: string[]) => `${texts.join("\r\n")}\r\n`;

/** Watches slow connections of one kind until all are closed or the time limit is over. */
async function slowKinds(service: AttackedService, site: Site, context: AttackContext): Promise<BenchRow[]> {
  const count = countsOf[context.mode];
  const { port } = service;
  const watch = async (name: string, sockets: readonly Socket[], boundSeconds: number) => {
    const ages = await lifetimes(sockets, boundSeconds + slackSeconds + 5, context.signal);
    const greatest = Math.max(...ages);
    context.log(`${name}: the last of ${ages.length} closed after ${greatest.toFixed(1)} s`);
    return within(
      `${name}: seconds until the last of ${ages.length} is closed`,
      greatest,
      "s",
      boundSeconds + slackSeconds,
    );
  };
  const dripped = await open(port, count / 4, { first: lines("GET /health HTTP/1.1", "host: localhost") });
  const drip = setInterval(() => {
    for (const socket of dripped) if (socket.writable) socket.write("x-more: 1\r\n");
  }, 1000);
  const silentHello = Array.from({ length: 16 }, () => openAgentSocket(service.url, firstAgentOf(service).token));
  await Promise.all(silentHello.map(({ opened }) => opened));
  const helloMs = performance.now();
  const hello = Promise.all(
    silentHello.map(async ({ closed }) => ({ ...(await closed), ms: performance.now() - helloMs })),
  );
  const json = ["content-type: application/json", "content-length: 5000"];
  const signIn = lines("POST /api/v1/auth/login HTTP/1.1", "host: localhost", ...json, "").concat('{"email":');
  const bearer = `authorization: Bearer ${site.otherAgent.token}`;
  const upload = lines("POST /api/v1/agent/events HTTP/1.1", "host: localhost", bearer, ...json, "").concat(
    '{"frames":[',
  );
  try {
    const watched = await Promise.all([
      open(port, count).then((sockets) => watch("idle connections", sockets, headerBoundSeconds)),
      watch("headers of one line a second", dripped, headerBoundSeconds),
      open(port, count / 4, { first: signIn }).then((sockets) =>
        watch("half-sent sign-ins", sockets, bodyBoundSeconds),
      ),
      open(port, count / 4, { first: upload }).then((sockets) => watch("half-sent uploads", sockets, bodyBoundSeconds)),
    ]);
    const closes = await Promise.race([hello, pause(5000, [])]);
    return [
      ...watched,
      all(
        "WebSockets without hello closed with 4400 within 15 s",
        closes.filter(({ code, ms }) => code === 4400 && ms <= 15_000).length,
        "sockets",
        silentHello.length,
      ),
    ];
  } finally {
    clearInterval(drip);
    for (const { socket } of silentHello) socket.terminate();
  }
}

/** The status, or 0 without an answer. */
function statusOnNewConnection(url: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(`${url}/health`, { agent: false, timeout: 10_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("timeout", () => sent.destroy());
    sent.once("error", () => resolve(0));
    sent.end();
  });
}

/** Sends requests on new connections at a steady rate until `over`; returns the slowest answer in milliseconds and the refusals. */
async function askOnAndOn(
  url: string,
  over: AbortSignal,
): Promise<{ asked: number; refused: number; slowestMs: number }> {
  const result = { asked: 0, refused: 0, slowestMs: 0 };
  while (!over.aborted) {
    const startedMs = performance.now();
    const status = await statusOnNewConnection(url);
    result.asked += 1;
    if (status !== 200) result.refused += 1;
    result.slowestMs = Math.max(result.slowestMs, performance.now() - startedMs);
    await pause(50);
  }
  return result;
}

/** Export clients that stop reading: unread data must not accumulate in memory. */
async function slowExports(service: AttackedService): Promise<BenchRow> {
  const before = (await service.usage()).rssBytes;
  const line = `GET /api/v1/projects/${service.slug}/tasks?format=json HTTP/1.1`;
  const readers = await open(service.port, slowReaders, {
    first: lines(line, "host: localhost", `cookie: ${service.root.cookie}`, ""),
  });
  for (const reader of readers) reader.pause();
  let greatest = 0;
  for (let round = 0; round < 20; round += 1) {
    await pause(250);
    greatest = Math.max(greatest, (await service.usage()).rssBytes);
  }
  for (const reader of readers) reader.destroy();
  return within(
    `memory that ${slowReaders} exports without a reader take`,
    greatest - before,
    "bytes",
    memoryLimitBytes,
  );
}

async function fillTasks(service: AttackedService, batches: number): Promise<void> {
  const raw = await connectRaw({ url: service.url, ...firstAgentOf(service) });
  for (let batch = 0; batch < batches; batch += 1) {
    const events = Array.from({ length: 500 }, (_, index) => ({
      kind: "task.sent",
      engine: "bullmq",
      task_id: `slow-${batch}-${index}`,
      occurred_at: new Date().toISOString(),
      data: { task_name: "mail", queue: "default", args: ["x".repeat(1000)] },
    }));
    await raw.ackOf(raw.sendEvents(events));
  }
  await raw.close();
}

/** The handling of connections does not depend on the database. */
async function slowClients(context: AttackContext): Promise<BenchRow[]> {
  const service = await startService({ home: `${context.scratchDir}/slow` });
  try {
    const site = await prepareSite(service);
    await fillTasks(service, context.mode === "quick" ? 10 : 40);
    const over = new AbortController();
    const asking = askOnAndOn(service.url, over.signal);
    const rows = [...(await slowKinds(service, site, context)), await slowExports(service)];
    over.abort();
    const asked = await asking;
    rows.push(
      none(`of ${asked.asked} parallel requests on new connections, refused`, asked.refused, "requests"),
      within("the slowest of them", asked.slowestMs, "ms", answerLimitMs),
      note("log lines", service.log.lines, "lines"),
    );
    return rows;
  } finally {
    await service.stop();
  }
}

/** Pipelined requests for the largest public file; the sender reads none of the answers. */
async function pipelinedRequests(url: string): Promise<string> {
  const script = /type="module"[^>]* src="([^"]+)"/.exec(await (await fetch(url)).text())?.[1];
  if (script === undefined) throw new Error("the page of the dashboard has no script");
  return lines(`GET ${script} HTTP/1.1`, "host: localhost", "").repeat(32);
}

/** One source opens more connections than the service accepts in total; another one must still get in. */
async function fullTable(context: AttackContext, how: "idle" | "unread"): Promise<BenchRow[]> {
  const env = { SVC_HTTP_MAX_CONNECTIONS: String(smallLimit) };
  const service = await startService({ home: `${context.scratchDir}/small-${how}`, env });
  try {
    const first = how === "unread" ? { first: await pipelinedRequests(service.url) } : {};
    const held: Socket[] = [];
    // One after the other: the service frees connections in tenths, which simultaneous ones would not fill.
    while (held.length < smallLimit * 2) {
      const [socket] = (await open(service.port, 1, { localAddress: "127.0.0.2", ...first })) as [Socket];
      held.push(socket);
      if (how === "unread") await new Promise((resolve) => socket.once("readable", resolve).once("close", resolve));
    }
    await pause(500);
    // A socket that is not read does not notice its end.
    const connected = held.filter((socket) => !socket.destroyed && socket.readyState === "open").length;
    const over = new AbortController();
    const asking = askOnAndOn(service.url, over.signal);
    await pause((headerBoundSeconds + slackSeconds) * 1000, undefined, { signal: context.signal });
    over.abort();
    const { asked, refused, slowestMs } = await asking;
    for (const socket of held) socket.destroy();
    context.log(`${how}: ${connected} of ${held.length} held, ${refused} of ${asked} refused`);
    const name = `of ${asked} requests next to a full table of ${how} connections, refused`;
    return [
      ...(how === "idle"
        ? [within("connections that one source holds of a small table", connected, "sockets", smallLimit)]
        : []),
      none(name, refused, "requests"),
      note(`the slowest of them (${how})`, slowestMs, "ms"),
    ];
  } finally {
    await service.stop();
  }
}

export const attack: Attack = {
  name: "slow-clients",
  about: "idle and half-sent connections, readers that stop, WebSockets without hello, and a full connection table",
  requirement: "H9: headers within 10 s, bodies within 30 s, a bounded number of connections; other clients are served",
  run: async (context) => {
    const rows = await Promise.all([slowClients(context), fullTable(context, "idle"), fullTable(context, "unread")]);
    return rows.flat();
  },
};
