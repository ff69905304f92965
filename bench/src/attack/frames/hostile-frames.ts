import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createReplayGuard, createVerifier, type OpenedFrame } from "@svc/protocol";
import { connectRaw, createRawPoller, rawEvents } from "@svc/testkit/raw-agent";
import { firstAgentOf } from "../../harness/processes.ts";
import { type BenchRow, note } from "../../harness/suite.ts";
import { type Attack, type AttackContext, all, none, within } from "../attack.ts";
import { type AttackedService, startService } from "../service.ts";
import { createRandom, FrameSource, marker, otherSpellings, type Random } from "./frame-mutations.ts";
import { createGuard, type FrameSession, judgeMessage, type Verdict } from "./frame-verifier.ts";

/**
 * Generated, changed, cut, replayed and re-signed frames, judged by the product and by this folder's independent verifier. Each has its
 * own replay guard, and a clock that moves between frames.
 */
const framesOf = { quick: 50_000, standard: 1_000_000, full: 1_000_000 } as const;
const warmUpFrames = 20_000;
const framesPerSession = 64;
const memoryLimitBytes = 20e6;

interface Tally {
  accepted: number;
  refused: number;
  allowedDifferences: number;
  /** Non-canonical numbers in frames that were signed over their own bytes. */
  readonly spellingsTried: Set<string>;
  wrong: string[];
  wrongCount: number;
}

/** The protocol's name for the product's refusal. All refusals of content count as malformed content. */
function verdictOf(opened: OpenedFrame): Verdict {
  if (opened.ok) return "accepted";
  const reason: string = opened.reason;
  return reason.includes("content") ? "malformed" : (reason as Verdict);
}

function judgeSessions(frames: number, random: Random, context: Pick<AttackContext, "signal" | "log">): Tally {
  const tally: Tally = {
    accepted: 0,
    refused: 0,
    allowedDifferences: 0,
    spellingsTried: new Set(),
    wrong: [],
    wrongCount: 0,
  };
  let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  let monotonicMs = 0;
  for (let judged = 0; judged < frames; judged += framesPerSession) {
    if (judged % (framesPerSession * 256) === 0) context.signal.throwIfAborted();
    if (judged > 0 && judged % (framesPerSession * 3125) === 0) context.log(`${judged} of ${frames} frames judged`);
    const session: FrameSession = {
      secret: Buffer.alloc(32, judged % 251),
      agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
      projectId: "11111111-2222-4333-8444-555555555555",
      sessionId: random.once(20) ? "" : `99999999-8888-4777-8666-${String(judged).padStart(12, "0")}`,
    };
    const { secret, ...ids } = session;
    const verifier = createVerifier({ secret, session: ids });
    const guard = createReplayGuard({ now: () => new Date(nowMs), monotonicMs: () => monotonicMs });
    const admits = createGuard({ nowMs: () => nowMs, monotonicMs: () => monotonicMs });
    const source = new FrameSource(random, session, () => nowMs);
    for (let index = 0; index < framesPerSession; index += 1) {
      const passedMs = random.once(200) ? 181_000 : random.number(900);
      nowMs += passedMs;
      monotonicMs += passedMs;
      const { message, mutations } = source.next();
      const opened = verifier.open(message);
      const judgement = judgeMessage(message, session);
      for (const number of judgement.otherSpellings) tally.spellingsTried.add(number);
      let product = verdictOf(opened);
      let allowed = judgement.verdicts;
      if (
        !allowed.includes(product) &&
        product === judgement.candidateVerdict &&
        !(opened.ok && opened.path === "slow") &&
        judgement.isCanonicalContent
      ) {
        tally.allowedDifferences += 1;
        allowed = [product];
      }
      if (opened.ok && allowed[0] === "accepted") {
        if (guard.admit(opened.frame) !== "ok") product = "replay";
        allowed = admits(judgement.replay) ? ["accepted"] : ["replay"];
      }
      if (product === "accepted") tally.accepted += 1;
      else tally.refused += 1;
      if (allowed.includes(product)) continue;
      tally.wrongCount += 1;
      if (tally.wrong.length < 10)
        tally.wrong.push(
          `${product} instead of ${allowed.join("/")} [${mutations.join(", ")}] ${Buffer.from(message).toString("utf8").slice(0, 600)}`,
        );
    }
  }
  return tally;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function memoryNow(): Promise<{ heapBytes: number; rssBytes: number }> {
  // Twice, with a turn in between: finalizers of the first round free objects for the second.
  for (let round = 0; round < 2; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, rssBytes: rss };
}

/** Frames that a running service must refuse in any state. */
function refusedFrames(source: FrameSource, session: FrameSession, count: number) {
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now() };
  const frames: { bytes: Buffer; text: string | null; isFatal: boolean }[] = [];
  while (frames.length < count) {
    const { message } = source.next();
    const { verdicts, candidateVerdict, replay } = judgeMessage(message, session);
    const isSound = verdicts[0] === "accepted";
    if (candidateVerdict !== null || verdicts.length > 1 || (isSound && createGuard(clock)(replay))) continue;
    if (typeof message === "string" && !message.isWellFormed()) continue;
    const bytes = Buffer.from(message);
    const text = bytes.toString("utf8");
    const isText = typeof message === "string" || Buffer.from(text).equals(bytes);
    frames.push({ bytes, text: isText ? text : null, isFatal: isSound || verdicts[0] === "signature" });
    if (frames.at(-1)?.isFatal) break;
  }
  return frames;
}

const framesPerConnection = 20;

/** Sends this many invalid frames over both transports; returns the number of valid batches acknowledged in between. */
async function send(service: AttackedService, random: Random, frames: number, signal: AbortSignal) {
  const tally = { sent: 0, acknowledged: 0, wrong: 0 };
  const credentials = { url: service.url, projectId: service.projectId, ...firstAgentOf(service) };
  for (let connection = 0; tally.sent < frames; connection += 1) {
    signal.throwIfAborted();
    // Each connection has a different source address, to stay within the connect budget.
    const headers = { "x-forwarded-for": `10.${connection >> 16}.${(connection >> 8) & 255}.${connection & 255}` };
    const isSocket = connection % 2 === 0;
    const agent = isSocket ? await connectRaw(credentials, { headers }) : createRawPoller(credentials);
    if (!("socket" in agent)) await agent.probe(headers);
    const session: FrameSession = { secret: agent.secret, ...agent.session };
    const hostile = refusedFrames(new FrameSource(random, session, Date.now), session, framesPerConnection);
    const isFatal = hostile.at(-1)?.isFatal === true;
    const control = () => agent.sign("event_batch", { events: rawEvents(1, "control") });
    tally.sent += hostile.length;
    if ("socket" in agent) {
      const id = agent.sendEvents(rawEvents(1, "control"));
      await agent.ackOf(id);
      tally.acknowledged += 1;
      for (const { bytes } of hostile) agent.socket.send(bytes);
      const ended = agent.closed.then(({ code }) => code);
      if (isFatal) tally.wrong += (await Promise.race([ended, pause(10_000, 0, { ref: false })])) === 4403 ? 0 : 1;
      else {
        await Promise.race([agent.settle(), ended.then(() => (tally.wrong += 1))]);
        await agent.close();
      }
    } else {
      const texts = hostile.flatMap(({ text }) => (text === null ? [] : [text]));
      const answer = await agent.upload([control(), ...texts], headers);
      // The control batch precedes the hostile frames and must be stored in any case.
      tally.acknowledged += 1;
      if (answer.status !== (isFatal && hostile.at(-1)?.text !== null ? 409 : 200)) tally.wrong += 1;
    }
  }
  return tally;
}

async function overTheWire(context: AttackContext, home: string, random: Random): Promise<BenchRow[]> {
  const service = await startService({ home });
  try {
    const frames = context.mode === "quick" ? 1000 : 10_000;
    // As many as are measured, so that threads, code and the database's bounded caches exist before the measurement.
    const warmUp = await send(service, random, frames, context.signal);
    const before = await service.settledMemory();
    const linesBefore = service.log.lines;
    const tally = await send(service, random, frames, context.signal);
    const after = await service.settledMemory();
    const count = async (like: string) =>
      Number((await service.query(`SELECT count(*) AS n FROM events WHERE task_id LIKE '${like}%'`))[0]?.n);
    const expected = warmUp.acknowledged + tally.acknowledged;
    return [
      none(`events stored of ${warmUp.sent + tally.sent} refused frames`, await count(marker), "events"),
      none("sessions that ended or stayed open against the protocol", warmUp.wrong + tally.wrong, "sessions"),
      all("acknowledged batches between them that are stored", await count("control"), "events", expected),
      within("growth of the service", after - before, "bytes", memoryLimitBytes),
      note("log lines of the service", service.log.lines - linesBefore, "lines"),
    ];
  } finally {
    await service.stop();
  }
}

async function run(context: AttackContext): Promise<readonly BenchRow[]> {
  const { mode, seed, log } = context;
  const random = createRandom(seed);
  log(`seed ${seed}`);
  judgeSessions(warmUpFrames, random, context);
  const before = await memoryNow();
  const frames = framesOf[mode];
  const tally = judgeSessions(frames, random, context);
  const after = await memoryNow();
  for (const line of tally.wrong) log(`WRONG ${line}`);

  const wire = await overTheWire(context, join(context.scratchDir, "home"), random);
  return [
    none(`wrong verdicts over ${frames} frames`, tally.wrongCount, "frames"),
    note("accepted by both", tally.accepted, "frames"),
    note("refused by both", tally.refused, "frames"),
    note("accepted as signed over their own bytes, which is allowed", tally.allowedDifferences, "frames"),
    all(
      "spellings of numbers tried in frames signed over their own bytes",
      otherSpellings.filter((number) => tally.spellingsTried.has(number)).length,
      "spellings",
      otherSpellings.length,
    ),
    within("growth of the judging heap", after.heapBytes - before.heapBytes, "bytes", memoryLimitBytes),
    // The allocator keeps the pages of a frame with 100,000 levels, so the heap is judged.
    note("resident growth of the judging process", after.rssBytes - before.rssBytes, "bytes"),
    ...wire,
  ];
}

export const attack: Attack = {
  name: "hostile-frames",
  about:
    "generated and changed frames, judged by the product and by an independent verifier, and sent to a running service",
  requirement: "no wrong verdicts, no part of a refused frame is stored, memory within 20 MB",
  run,
};
