import { createHmac, timingSafeEqual } from "node:crypto";
import {
  canonicalOf,
  isCanonicalNumber,
  type JsonObject,
  type Node,
  NotCanonical,
  numbersOf,
  readText,
} from "./json-text.ts";

/**
 * A second verifier of signed frames, written from the text of the wire protocol and sharing no code with packages/protocol:
 * signature, checks in their order, and replay guard. It prefers plain code to speed.
 */
export interface FrameSession {
  readonly secret: Uint8Array;
  readonly agentId: string;
  readonly projectId: string;
  readonly sessionId: string;
}

export type Verdict = "accepted" | "malformed" | "skew" | "signature" | "unknown_type" | "handshake" | "replay";

export interface Judgement {
  /** All verdicts that the protocol allows here; the first is the expected one. */
  readonly verdicts: readonly Verdict[];
  /**
   * The verdict for a valid signature over the candidate bytes of a text that is not canonical, but whose numbers are: then this verdict is
   * also allowed. Otherwise null.
   */
  readonly candidateVerdict: Verdict | null;
  /** The numbers, in a text with signed candidate bytes, that are not in canonical form or have none. */
  readonly otherSpellings: readonly string[];
  /** False for content without a canonical form: a lone surrogate, or a number that overflows a double. */
  readonly isCanonicalContent: boolean;
}

const types =
  "event_batch event_batch_ack heartbeat command command_ack command_result registry_delta error agent_status".split(
    " ",
  );

export function signatureOf(session: FrameSession, signed: string): string {
  return createHmac("sha256", session.secret).update(signed).digest("hex");
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** The canonical text of the object that a frame's signature covers. @throws NotCanonical */
export function signedTextOf(frame: JsonObject, session: FrameSession): string {
  const members = new Map(frame.members);
  members.delete("hmac");
  for (const [key, text] of Object.entries({
    agent_id: session.agentId,
    project_id: session.projectId,
    session_id: session.sessionId,
  }))
    members.set(key, { kind: "string", text });
  return canonicalOf({ kind: "object", members });
}

/** The signed bytes of the fast path, spliced from the text; null for a text of another form. */
export function candidateOf(text: string, session: FrameSession): { carried: string; candidate: string } | null {
  const lead = /^\{"hmac":"([0-9a-f]{64})",/.exec(text.slice(0, 75));
  const tailAt = text.lastIndexOf(',"seq":');
  if (lead === null || tailAt < 75 || text.length - tailAt > 256) return null;
  const tail = /^(,"seq":[1-9][0-9]{0,15})(,"ts":"[^"\\\p{Cc}]*","type":"[a-z_]+","v":2\})$/u.exec(text.slice(tailAt));
  if (tail === null) return null;
  const [agent, project, own] = [session.agentId, session.projectId, session.sessionId].map((id) => JSON.stringify(id));
  const candidate = `{"agent_id":${agent},${text.slice(75, tailAt)},"project_id":${project}${tail[1]},"session_id":${own}${tail[2]}`;
  return { carried: lead[1] as string, candidate };
}

/** The canonical text; null for content without one. */
function textOrNull(make: () => string): string | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}

/** The members of an accepted frame that the replay guard reads; null if absent or of the wrong type. */
export interface ReplayFacts {
  readonly seq: number | null;
  readonly ts: string | null;
  readonly nonce: string | null;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Judges a message up to its signature, in the protocol's order of checks. */
export function judgeMessage(
  message: string | Uint8Array,
  session: FrameSession,
): Judgement & { readonly replay: ReplayFacts } {
  const replay: ReplayFacts = { seq: null, ts: null, nonce: null };
  const one = (verdict: Verdict) => ({
    verdicts: [verdict],
    candidateVerdict: null,
    otherSpellings: [],
    isCanonicalContent: false,
    replay,
  });
  let text: string;
  let frame: Node;
  try {
    text = typeof message === "string" ? message : decoder.decode(message);
    if (!text.isWellFormed() || text.startsWith("\ufeff")) return one("malformed");
    frame = readText(text);
  } catch {
    return one("malformed");
  }
  if (frame.kind !== "object") return one("malformed");
  const member = (name: string) => (frame as JsonObject).members.get(name);
  const stringOf = (node: Node | undefined) => (node?.kind === "string" ? node.text : null);

  const signed = textOrNull(() => signedTextOf(frame, session));
  const carried = stringOf(member("hmac"));
  const isForm = carried !== null && /^[0-9a-f]{64}$/.test(carried);
  const spliced = candidateOf(text, session);
  const isCandidateSigned =
    spliced !== null &&
    spliced.carried === carried &&
    [...frame.members.keys()].join() === "hmac,id,nonce,payload,seq,ts,type,v" &&
    isSame(signatureOf(session, spliced.candidate), spliced.carried);
  const otherSpellings = isCandidateSigned ? numbersOf(frame).filter((number) => !isCanonicalNumber(number)) : [];
  // The session's ids overwrite these members, so theirs need no canonical form.
  const isOverwritten = ["agent_id", "project_id", "session_id"].some((name) => member(name) !== undefined);
  const canonical = isCandidateSigned || isOverwritten ? textOrNull(() => canonicalOf(frame)) : null;
  const isCanonicalContent = isOverwritten ? canonical !== null : signed !== null;

  const verdictOf = (isSignatureGood: boolean): Verdict => {
    const v = member("v");
    if (v?.kind !== "integer") return "malformed";
    if (BigInt(v.text.slice(0, 400)) !== 2n) return "skew";
    const type = stringOf(member("type"));
    if (type === null) return "malformed";
    if (type === "hello" || type === "hello_ack") return "handshake";
    if (!types.includes(type)) return "unknown_type";
    const payload = member("payload");
    if (payload !== undefined && payload.kind !== "object" && !(payload.kind === "word" && payload.text === "null"))
      return "malformed";
    if (signed === null) return "malformed";
    if (!isSignatureGood) return "signature";
    const id = stringOf(member("id"));
    if (id === null || id === "" || [...id].length > 64) return "malformed";
    if (type === "command_result") {
      const status = payload?.kind === "object" ? stringOf(payload.members.get("status")) : null;
      if (status !== "success" && status !== "failed") return "malformed";
    }
    return "accepted";
  };
  const verdict = verdictOf(isForm && signed !== null && isSame(signatureOf(session, signed), carried));
  const seq = member("seq");
  return {
    // Content without a canonical form may be detected at any check after the parse, and a malformed signature before it.
    verdicts: isCanonicalContent
      ? [verdict]
      : [...new Set<Verdict>([verdict, "malformed", ...(isForm ? [] : (["signature"] as const))])],
    candidateVerdict: isCandidateSigned && canonical !== text && otherSpellings.length === 0 ? verdictOf(true) : null,
    otherSpellings,
    isCanonicalContent,
    replay: {
      seq: seq?.kind === "integer" && seq.text.length <= 16 ? Number(seq.text) : null,
      ts: stringOf(member("ts")),
      nonce: stringOf(member("nonce")),
    },
  };
}

const instantForm = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of a time with a zone; null for any other text. */
function instantOf(text: string): number | null {
  const parts = instantForm.exec(text);
  if (parts === null) return null;
  const local = new Date(`${text.slice(0, 19)}Z`);
  // This parse rolls over a day that does not exist.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 19) !== text.slice(0, 19)) return null;
  const zone = /[+-]\d\d:\d\d$/.exec(text)?.[0];
  const offsetMinutes =
    zone === undefined ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return local.getTime() + Number((parts[6] ?? "").slice(1, 4).padEnd(3, "0")) - offsetMinutes * 60_000;
}

/** One guard per session and direction. True admits the frame; only admitted frames are remembered. */
export function createGuard(clock: { readonly nowMs: () => number; readonly monotonicMs: () => number }) {
  let last = 0;
  const nonces: { nonce: string; atMs: number }[] = [];
  return ({ seq, ts, nonce }: ReplayFacts): boolean => {
    if (seq === null || seq < 1 || seq > Number.MAX_SAFE_INTEGER || seq <= last) return false;
    if (ts === null || nonce === null || nonce === "" || nonce.length > 32) return false;
    const sentMs = instantOf(ts);
    if (sentMs === null || Math.abs(clock.nowMs() - sentMs) > 60_000) return false;
    const atMs = clock.monotonicMs();
    if (nonces.some((known) => known.nonce === nonce && atMs - known.atMs <= 180_000)) return false;
    last = seq;
    nonces.push({ nonce, atMs });
    if (nonces.length > 4096) nonces.shift();
    return true;
  };
}
