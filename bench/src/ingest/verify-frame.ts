import { randomUUID } from "node:crypto";
import { checkEventBatch, createSigner, createVerifier, readRecordHead, type SessionIds } from "@svc/protocol";
import { medianOf } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";

/**
 * Cost of accepting a frame of 100 events (about 44 kB): signature, parse, batch check and the head of each record, against JSON.parse of
 * the same text alone. Both alternate within each round, so that a busy machine slows both.
 */
const eventsPerFrame = 100;
const target = 2;

const session: SessionIds = {
  agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  projectId: "11111111-2222-4333-8444-555555555555",
  sessionId: "99999999-8888-4777-8666-555555555555",
};

function sampleEvent(index: number): Record<string, unknown> {
  return {
    id: randomUUID(),
    kind: index % 3 === 0 ? "task.sent" : index % 3 === 1 ? "task.started" : "task.succeeded",
    engine: "bullmq",
    task_id: `emails-${index}`,
    occurred_at: new Date(1_767_323_045_000 + index).toISOString(),
    data: {
      task_name: "app.emails.send_welcome",
      queue: "emails",
      worker: `worker-${index % 8}@host-12`,
      attempt: 0,
      runtime_ms: 100 + index,
      args: [{ order_id: 1_000_000 + index, warehouse: "north-12", note: "shipped to the customer" }],
      kwargs: {},
      result: { ok: true, message: "processed in three steps, nothing special to say" },
    },
  };
}

function timeMicros(times: number, action: () => void): number {
  const before = process.hrtime.bigint();
  for (let i = 0; i < times; i += 1) action();
  return Number(process.hrtime.bigint() - before) / 1_000 / times;
}

interface VerifyFrameFigures {
  readonly frameBytes: number;
  readonly parseMicros: number;
  /** Message as bytes, as in the WebSocket gateway. */
  readonly bytesMicros: number;
  /** Message as a string, as in long-poll. */
  readonly stringMicros: number;
  /** The path for foreign senders, for comparison. */
  readonly slowMicros: number;
}

function measureVerifyFrame(rounds: number): VerifyFrameFigures {
  const secret = new Uint8Array(32).fill(7);
  const { sign } = createSigner({ secret, session });
  const { open } = createVerifier({ secret, session });
  const text = sign(
    "event_batch",
    { events: Array.from({ length: eventsPerFrame }, (_, i) => sampleEvent(i)) },
    "ev_1",
  );
  const bytes = Buffer.from(text);
  const foreign = ` ${text}`;

  const take = (message: string | Uint8Array) => {
    const opened = open(message);
    if (!opened.ok || !checkEventBatch(opened.frame.payload)) throw new Error("the sample frame was refused");
    for (const record of opened.frame.payload.events) {
      if (readRecordHead(record).verdict !== "ok") throw new Error("a sample record was refused");
    }
  };

  const figures = { parse: [] as number[], bytes: [] as number[], string: [] as number[], slow: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    figures.parse.push(timeMicros(20, () => JSON.parse(text)));
    figures.bytes.push(timeMicros(20, () => take(bytes)));
    figures.string.push(timeMicros(20, () => take(text)));
    if (round % 10 === 0) figures.slow.push(timeMicros(5, () => take(foreign)));
  }
  return {
    frameBytes: bytes.length,
    parseMicros: medianOf(figures.parse),
    bytesMicros: medianOf(figures.bytes),
    stringMicros: medianOf(figures.string),
    slowMicros: medianOf(figures.slow),
  };
}

export const suite: BenchSuite = {
  name: "verify-frame",
  about: "verify + parse + check of a frame of 100 events against JSON.parse alone",
  diskBytes: { quick: 0, standard: 0, full: 0 },
  async run({ mode }: BenchContext): Promise<readonly BenchRow[]> {
    const { frameBytes, parseMicros, bytesMicros, stringMicros, slowMicros } = measureVerifyFrame(
      mode === "quick" ? 100 : 400,
    );
    const bound = { limit: parseMicros, target };
    return [
      atMost("frame from bytes (WebSocket)", bytesMicros, "us", bound),
      atMost("frame from a string (long-poll)", stringMicros, "us", bound),
      note("frame of a foreign sender (slow path)", slowMicros, "us"),
      note("frame size", frameBytes, "B"),
    ];
  },
};
