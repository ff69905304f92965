import { type Static, Type } from "typebox";
import { frameVersion } from "../frames/envelope.ts";
import { isFrameId } from "../frames/judge.ts";
import { canonicalText, integerLexemeOf, readLexemes } from "../json/canonical.ts";
import { holdsOverflow } from "../json/odd-numbers.ts";
import { parseJson } from "../json/parse-json.ts";
import { isJsonObject } from "../json/raw.ts";
import { storableText, wellFormedText } from "../json/unicode.ts";
import { checkOf, Int, JsonObject, nullable, Text, Texts } from "./checks.ts";

/** The two unsigned frames that open a WebSocket session. In hello, only the fields about the process may be absent or null. */
const HelloSchema = Type.Object({
  /** `"2"`. The gateway refuses any other version with 4426. */
  protocol_version: Text(40),
  agent_version: Text(40),
  framework: Text(40),
  engines: Texts(64),
  schedulers: Texts(64),
  /** Adapter name to capability tokens. Engines and schedulers share one namespace. */
  capabilities: Type.Record(Type.String(), Type.Array(Type.String())),
  /** `host.name` is the label that operators see. */
  host: JsonObject,
  /** By convention `<framework>-<pid>-<start in Unix ms>`. */
  worker_id: nullable(Text(128)),
  worker_role: nullable(Text(32)),
  worker_pid: nullable(Int(0, 2_147_483_647)),
  worker_started_at: nullable(Type.String()),
  runtime_features: Texts(64),
});
export type HelloPayload = Required<Static<typeof HelloSchema>>;
const checkHello = checkOf(HelloSchema);

const HelloAckSchema = Type.Object({
  protocol_version: Type.String(),
  brain_version: Type.String(),
  agent_id: Type.String({ minLength: 1 }),
  project_id: Type.String({ minLength: 1 }),
  /** A new UUID of version 4. */
  session_id: Type.String({ minLength: 1 }),
  heartbeat_interval_seconds: Int(1, 3_600),
  max_frame_size_bytes: Int(1_024, 67_108_864),
});
export type HelloAckPayload = Static<typeof HelloAckSchema>;
const checkHelloAck = checkOf(HelloAckSchema);

export interface HandshakeText {
  readonly id: string;
  readonly now?: Date;
}

export type ParsedHandshake<T> =
  | { readonly ok: true; readonly payload: T; readonly id: string }
  | { readonly ok: false; readonly reason: "malformed" | "skew" | "other_type"; readonly message: string };

export function encodeHello(payload: HelloPayload, { id, now = new Date() }: HandshakeText): string {
  return canonicalText({ id, payload, ts: now.toISOString(), type: "hello", v: frameVersion });
}

/** The frame id is `hack_` and the first 12 hex digits of the session id. */
export function encodeHelloAck(payload: HelloAckPayload, now: Date = new Date()): string {
  const id = `hack_${payload.session_id.replaceAll("-", "").slice(0, 12)}`;
  return canonicalText({ id, payload, ts: now.toISOString(), type: "hello_ack", v: frameVersion });
}

/** Parses a hello message. Absent values become null and texts get their storable form, except in `host`. The caller checks `protocol_version`. */
export function parseHello(message: string | Uint8Array): ParsedHandshake<HelloPayload> {
  const parsed = parseHandshake(message, "hello");
  if (!parsed.ok) return parsed;
  const { payload, id } = parsed;
  if (!checkHello(payload)) return malformed("a hello member is missing or of the wrong type");
  const hello: HelloPayload = {
    protocol_version: payload.protocol_version,
    agent_version: storableText(payload.agent_version),
    framework: storableText(payload.framework),
    engines: payload.engines.map(storableText),
    schedulers: payload.schedulers.map(storableText),
    capabilities: Object.fromEntries(
      Object.entries(payload.capabilities).map(([name, tokens]) => [storableText(name), tokens.map(storableText)]),
    ),
    host: payload.host,
    worker_id: orNull(payload.worker_id),
    worker_role: orNull(payload.worker_role),
    worker_pid: payload.worker_pid ?? null,
    worker_started_at: payload.worker_started_at ?? null,
    runtime_features: payload.runtime_features.map(storableText),
  };
  return { ok: true, payload: hello, id };
}

const orNull = (text: string | null | undefined): string | null =>
  typeof text === "string" ? storableText(text) : null;

export function parseHelloAck(message: string | Uint8Array): ParsedHandshake<HelloAckPayload> {
  const parsed = parseHandshake(message, "hello_ack");
  if (!parsed.ok) return parsed;
  if (!checkHelloAck(parsed.payload)) return malformed("a hello_ack member is missing or of the wrong type");
  return { ok: true, payload: parsed.payload, id: parsed.id };
}

function malformed(message: string): { ok: false; reason: "malformed"; message: string } {
  return { ok: false, reason: "malformed", message };
}

function parseHandshake(message: string | Uint8Array, expected: "hello" | "hello_ack"): ParsedHandshake<unknown> {
  const text = wellFormedText(message);
  if (text === null) return malformed("not well-formed text");
  let frame: unknown;
  let version: string | null;
  try {
    frame = parseJson(text);
    version = integerLexemeOf((readLexemes(text) as { v?: unknown } | null)?.v);
  } catch {
    return malformed("the text is not JSON");
  }
  if (holdsOverflow(text, { keepsIntegers: true })) return malformed("a number is too large for JSON");
  if (!isJsonObject(frame)) return malformed("not an object");
  if (version === null) return malformed("v is not an integer");
  if (version !== String(frameVersion)) {
    return { ok: false, reason: "skew", message: "a frame of another protocol version" };
  }
  const { type, id, payload } = frame;
  if (type !== expected) return { ok: false, reason: "other_type", message: `the first frame is not a ${expected}` };
  if (!isFrameId(id)) return malformed("id is not a string of 1 to 64 characters");
  return { ok: true, payload, id };
}
