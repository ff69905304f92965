import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { CanonicalError, canonicalString, canonicalText, integerLexemeOf, readLexemes } from "../json/canonical.ts";
import { parseJson } from "../json/parse-json.ts";
import { setOwn } from "../json/read-json.ts";
import { fitsCharacters, wellFormedText } from "../json/unicode.ts";
import { type Frame, type FrameType, frameVersion, isFrameType, type SessionIds } from "./envelope.ts";
import { wireLimits } from "./limits.ts";

/**
 * Opening a received frame (spec 1.5). Text from our own senders is canonical, so the signed bytes are a splice of the text itself:
 * the signature is checked before anything is parsed. Every other text is parsed with its number lexemes, put into canonical form
 * and checked then. Both ways give the same verdict on every canonical text.
 */
export interface VerifierOptions {
  readonly secret: Uint8Array;
  readonly session: SessionIds;
}

export type RefusalReason =
  /** Not well-formed text, not an object, or an envelope member of the wrong type: drop it. */
  | "malformed"
  /** Another `v`: recoverable, leave it unconfirmed. */
  | "skew"
  /** Wrong or missing signature: the session ends. */
  | "signature"
  /** A type this version does not know: drop it with a warning. */
  | "unknown_type"
  /** hello or hello_ack, which are unsigned and open a session elsewhere. */
  | "handshake";

export type OpenedFrame =
  | {
      readonly ok: true;
      readonly frame: Frame;
      readonly path: "fast" | "slow";
      /** The well-formed text, for a second look at number lexemes (`receivedData`). */
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly reason: RefusalReason;
      readonly frameType?: FrameType;
      readonly id?: string;
      /** What was wrong, without content of the frame. */
      readonly message: string;
    };

export interface Verifier {
  /** Judges one message. Never throws; the replay guard comes after it. */
  open(message: string | Uint8Array): OpenedFrame;
}

const leading = '{"hmac":"';
const hexLength = 64;
const headAt = leading.length + hexLength + 2;
const tailSearch = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them unescaped
const tailForm = /,"seq":[1-9][0-9]{0,15}(,"ts":"[^"\\\u0000-\u001f]*","type":"[a-z_]+","v":2\})$/;
const lowerHex = /^[0-9a-f]{64}$/;
const wireKeys = ["hmac", "id", "nonce", "payload", "seq", "ts", "type", "v"] as const;

interface Cut {
  readonly signature: string;
  /** From `,"seq":` to the end of the text. */
  readonly tail: string;
  /** The part of the tail from `,"ts":` on. */
  readonly end: string;
}

function cutCanonical(text: string): Cut | null {
  if (!text.startsWith(leading) || !text.startsWith('",', leading.length + hexLength)) return null;
  const signature = text.slice(leading.length, leading.length + hexLength);
  if (!lowerHex.test(signature)) return null;
  const match = tailForm.exec(text.slice(Math.max(headAt, text.length - tailSearch)));
  return match === null ? null : { signature, tail: match[0], end: match[1] as string };
}

function hasExactKeys(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === wireKeys.length && wireKeys.every((key, index) => keys[index] === key);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function createVerifier({ secret, session }: VerifierOptions): Verifier {
  const key: KeyObject = createSecretKey(secret);
  const agentPart = `{"agent_id":${canonicalString(session.agentId)},`;
  const projectPart = `,"project_id":${canonicalString(session.projectId)}`;
  const sessionPart = `,"session_id":${canonicalString(session.sessionId)}`;

  /** Digest of the candidate text, taken from the received bytes where there are some, so that nothing is encoded again. */
  function spliceMatches(message: string | Uint8Array, text: string, { signature, tail, end }: Cut): boolean {
    const hmac = createHmac("sha256", key).update(agentPart);
    if (typeof message === "string") hmac.update(text.slice(headAt, text.length - tail.length));
    else hmac.update(message.subarray(headAt, message.byteLength - Buffer.byteLength(tail)));
    const seq = tail.slice(0, tail.length - end.length);
    return sameHex(hmac.update(projectPart + seq + sessionPart + end).digest(), signature);
  }

  function canonicalMatches(received: Record<string, unknown>, signature: unknown): boolean {
    if (typeof signature !== "string" || !lowerHex.test(signature)) return false;
    const signed: Record<string, unknown> = {};
    for (const name of Object.keys(received)) if (name !== "hmac") setOwn(signed, name, received[name]);
    signed.agent_id = session.agentId;
    signed.project_id = session.projectId;
    signed.session_id = session.sessionId;
    return sameHex(createHmac("sha256", key).update(canonicalText(signed)).digest(), signature);
  }

  function openSlowly(text: string): OpenedFrame {
    let received: unknown;
    let value: unknown;
    try {
      received = readLexemes(text);
      value = parseJson(text);
    } catch {
      return { ok: false, reason: "malformed", message: "the text is not JSON" };
    }
    if (!isObject(received) || !isObject(value)) return { ok: false, reason: "malformed", message: "not an object" };
    const version = integerLexemeOf(received.v);
    if (version === null) return { ok: false, reason: "malformed", message: "v is not an integer" };
    const isSeqInteger = integerLexemeOf(received.seq) !== null;
    const judged = judgeEnvelope(value, version === String(frameVersion), isSeqInteger);
    if (!judged.ok) return judged;
    try {
      if (!canonicalMatches(received, value.hmac))
        return refuse("signature", judged.frame, "the signature does not match");
    } catch (error) {
      if (!(error instanceof CanonicalError)) throw error;
      return refuse("malformed", judged.frame, error.message);
    }
    return accept(judged.frame, "slow", text);
  }

  return {
    open(message) {
      const text = wellFormedText(message);
      if (text === null) return { ok: false, reason: "malformed", message: "not well-formed text" };
      const cut = cutCanonical(text);
      if (cut === null || !spliceMatches(message, text, cut)) return openSlowly(text);
      let value: unknown;
      try {
        value = parseJson(text);
      } catch {
        return { ok: false, reason: "malformed", message: "the text is not JSON" };
      }
      // A further top-level key, or a second `hmac`, makes the candidate something else than the canonical form.
      if (!isObject(value) || !hasExactKeys(value) || value.hmac !== cut.signature) return openSlowly(text);
      const judged = judgeEnvelope(value, true, true);
      return judged.ok ? accept(judged.frame, "fast", text) : judged;
    },
  };
}

/** One-off form of `createVerifier`. */
export function openFrame(message: string | Uint8Array, options: VerifierOptions): OpenedFrame {
  return createVerifier(options).open(message);
}

function sameHex(digest: Buffer, hex: string): boolean {
  return timingSafeEqual(digest, Buffer.from(hex, "hex"));
}

/** A signed frame; the status of a command result is judged here, between signature and replay guard. */
function accept(frame: Frame, path: "fast" | "slow", text: string): OpenedFrame {
  if (frame.type === "command_result") {
    const status = frame.payload?.status;
    if (status !== "success" && status !== "failed")
      return refuse("malformed", frame, "status is neither success nor failed");
  }
  return { ok: true, frame, path, text };
}

function refuse(reason: RefusalReason, frame: Frame, message: string): OpenedFrame & { ok: false } {
  return { ok: false, reason, frameType: frame.type, id: frame.id, message };
}

/** The checks that stand before the signature, in the order of spec 1.5: `v`, `type`, payload; the id with the payload. */
function judgeEnvelope(
  value: Record<string, unknown>,
  isOurVersion: boolean,
  isSeqInteger: boolean,
): { ok: true; frame: Frame } | (OpenedFrame & { ok: false }) {
  const { type, id, ts, nonce, seq, hmac } = value;
  const known = {
    ...(isFrameType(type) ? { frameType: type } : {}),
    ...(typeof id === "string" && fitsCharacters(id, wireLimits.frameIdCharacters) ? { id } : {}),
  };
  if (!isOurVersion) return { ok: false, reason: "skew", ...known, message: "a frame of another protocol version" };
  if (typeof type !== "string") return { ok: false, reason: "malformed", ...known, message: "type is not a string" };
  if (!isFrameType(type)) return { ok: false, reason: "unknown_type", ...known, message: "a frame of an unknown type" };
  if (type === "hello" || type === "hello_ack") {
    return { ok: false, reason: "handshake", ...known, message: "a handshake frame inside a session" };
  }
  const payload = value.payload ?? null;
  if (payload !== null && !isObject(payload)) {
    return { ok: false, reason: "malformed", ...known, message: "payload is not an object" };
  }
  if (known.id === undefined || known.id === "") {
    return { ok: false, reason: "malformed", ...known, message: "id is not a string of 1 to 64 characters" };
  }
  const frame: Frame = {
    v: frameVersion,
    type,
    id: known.id,
    ts: typeof ts === "string" ? ts : null,
    payload,
    ...(typeof nonce === "string" ? { nonce } : {}),
    ...(isSeqInteger && typeof seq === "number" ? { seq } : {}),
    ...(typeof hmac === "string" ? { hmac } : {}),
  };
  return { ok: true, frame };
}
