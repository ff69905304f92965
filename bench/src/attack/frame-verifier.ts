import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * A second verifier of signed frames, written from the text of the wire protocol and sharing no code with packages/protocol: JSON
 * reader with number lexemes, canonical form, signature and replay guard. It prefers plain code to speed.
 */
export interface FrameSession {
  readonly secret: Uint8Array;
  readonly agentId: string;
  readonly projectId: string;
  readonly sessionId: string;
}

export type Verdict = "accepted" | "malformed" | "skew" | "signature" | "unknown_type" | "handshake" | "replay";

export interface Judgement {
  /** Every class of verdict that the protocol allows here; the first is the expected one. */
  readonly verdicts: readonly Verdict[];
  /** Set when a holder of the secret signed the candidate bytes of a text that is not canonical: then accepting it is allowed. */
  readonly isCandidateSigned: boolean;
  /** False for content that has no canonical form at all: a lone surrogate, or a number beyond every double. */
  readonly isCanonicalContent: boolean;
}

type Lexeme<Kind> = { readonly kind: Kind; readonly text: string };
type Scalar = Lexeme<"string"> | Lexeme<"integer"> | Lexeme<"float"> | Lexeme<"word">;
type JsonArray = { readonly kind: "array"; readonly items: Node[] };
type JsonObject = { readonly kind: "object"; readonly members: Map<string, Node> };
type Node = Scalar | JsonArray | JsonObject;

class NotJson extends Error {}
/** JSON by its grammar, with content that has no canonical form: a lone surrogate, or a number beyond every double. */
class NotCanonical extends Error {}

const numberForm = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const spaces = " \t\n\r";
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads a JSON text (RFC 8259) into nodes; of duplicate keys the last one stands. Any depth. @throws NotJson */
export function readText(text: string): Node {
  let at = 0;
  const skip = () => {
    while (at < text.length && spaces.includes(text[at] as string)) at += 1;
  };

  function readString(): string {
    if (text[at] !== '"') throw new NotJson("a string was expected");
    let value = "";
    let from = at + 1;
    for (at += 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (Number.isNaN(code) || code < 0x20) throw new NotJson("an open or broken string");
      if (code === 0x22) break;
      if (code !== 0x5c) continue;
      value += text.slice(from, at);
      const sign = text[at + 1] ?? "";
      if (sign === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new NotJson("a broken escape");
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 5;
      } else {
        const plain = escapes[sign];
        if (plain === undefined) throw new NotJson("an unknown escape");
        value += plain;
        at += 1;
      }
      from = at + 1;
    }
    value += text.slice(from, at);
    at += 1;
    return value;
  }

  function readScalar(): Scalar {
    if (text[at] === '"') return { kind: "string", text: readString() };
    for (const word of ["true", "false", "null"]) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return { kind: "word", text: word };
    }
    numberForm.lastIndex = at;
    const match = numberForm.exec(text);
    if (match === null) throw new NotJson("no value");
    at += match[0].length;
    const isFloat = match[1] !== undefined || match[2] !== undefined;
    return { kind: isFloat ? "float" : "integer", text: match[0] };
  }

  // The containers that are open, from the outside in, each with the key under which its next value goes.
  const open: { node: JsonArray | JsonObject; key: string }[] = [];
  let root: Node | undefined;
  const place = (node: Node) => {
    const parent = open.at(-1);
    if (parent === undefined) root = node;
    else if (parent.node.kind === "array") parent.node.items.push(node);
    else parent.node.members.set(parent.key, node);
  };
  const readKey = (parent: { key: string }) => {
    skip();
    parent.key = readString();
    skip();
    if (text[at] !== ":") throw new NotJson("no colon");
    at += 1;
  };

  for (;;) {
    skip();
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      const node: JsonArray | JsonObject =
        sign === "{" ? { kind: "object", members: new Map() } : { kind: "array", items: [] };
      place(node);
      at += 1;
      skip();
      if (text[at] !== (sign === "{" ? "}" : "]")) {
        const parent = { node, key: "" };
        open.push(parent);
        if (node.kind === "object") readKey(parent);
        continue;
      }
      at += 1;
    } else place(readScalar());

    // Behind a value: close what ends here, or go on to the next member.
    for (;;) {
      skip();
      const parent = open.at(-1);
      if (parent === undefined) {
        if (at !== text.length || root === undefined) throw new NotJson("text behind the value");
        return root;
      }
      const next = text[at];
      at += 1;
      if (next === ",") {
        if (parent.node.kind === "object") readKey(parent);
        break;
      }
      if (next !== (parent.node.kind === "object" ? "}" : "]")) throw new NotJson("no comma");
      open.pop();
    }
  }
}

/** A number lexeme in canonical form. @throws NotCanonical when it overflows every double */
export function canonicalNumber(lexeme: string): string {
  if (!/[.eE]/.test(lexeme)) return lexeme === "-0" ? "0" : lexeme;
  const value = Number(lexeme);
  if (!Number.isFinite(value)) throw new NotCanonical("a number beyond every double");
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  // The shortest digits that read back to the same double, and the decimal exponent of the first of them.
  const [mantissa, power] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  const sign = value < 0 ? "-" : "";
  if (exponent >= 16 || exponent <= -5) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new NotCanonical("a lone surrogate");
  let text = '"';
  let from = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c) continue;
    const sign = value[at] as string;
    const escaped = code >= 0x20 ? `\\${sign}` : (shortEscapes[sign] ?? `\\u${code.toString(16).padStart(4, "0")}`);
    text += value.slice(from, at) + escaped;
    from = at + 1;
  }
  return `${text}${value.slice(from)}"`;
}

/** UTF-8 sorts as code points do. */
const byCodePoint = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

/** The canonical text of a node, of any depth. @throws NotCanonical */
export function canonicalOf(root: Node): string {
  const parts: string[] = [];
  const pending: (Node | string)[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === "string") parts.push(next);
    else if (next.kind === "string") parts.push(canonicalString(next.text));
    else if (next.kind === "word") parts.push(next.text);
    else if (next.kind === "integer" || next.kind === "float") parts.push(canonicalNumber(next.text));
    else if (next.kind === "array") {
      parts.push("[");
      pending.push("]");
      for (let index = next.items.length - 1; index >= 0; index -= 1) {
        pending.push(next.items[index] as Node);
        if (index > 0) pending.push(",");
      }
    } else {
      parts.push("{");
      pending.push("}");
      const keys = [...next.members.keys()].sort(byCodePoint);
      for (let index = keys.length - 1; index >= 0; index -= 1) {
        const key = keys[index] as string;
        pending.push(next.members.get(key) as Node, `${index > 0 ? "," : ""}${canonicalString(key)}:`);
      }
    }
  }
  return parts.join("");
}

const types =
  "event_batch event_batch_ack heartbeat command command_ack command_result registry_delta error agent_status".split(
    " ",
  );

function signatureOf(session: FrameSession, signed: string): string {
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

/** The signed bytes of the fast path, spliced from the text; null for a text that does not have its form. */
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

/** A canonical text; null for content that has none. */
function textOrNull(make: () => string): string | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}

/** What the replay guard reads of an accepted frame; null for what is absent or of the wrong kind. */
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
    isCandidateSigned: false,
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
    spliced !== null && spliced.carried === carried && isSame(signatureOf(session, spliced.candidate), spliced.carried);
  // The session's ids overwrite these members, so theirs need no canonical form.
  const isOverwritten = ["agent_id", "project_id", "session_id"].some((name) => member(name) !== undefined);
  const canonical = isCandidateSigned || isOverwritten ? textOrNull(() => canonicalOf(frame)) : null;
  const isCanonicalContent = isOverwritten ? canonical !== null : signed !== null;

  const verdictOf = (): Verdict => {
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
    if (!isForm || !isSame(signatureOf(session, signed), carried)) return "signature";
    const id = stringOf(member("id"));
    if (id === null || id === "" || [...id].length > 64) return "malformed";
    if (type === "command_result") {
      const status = payload?.kind === "object" ? stringOf(payload.members.get("status")) : null;
      if (status !== "success" && status !== "failed") return "malformed";
    }
    return "accepted";
  };
  const verdict = verdictOf();
  const seq = member("seq");
  return {
    // Content without canonical form may be found at any check from the parse on, and an ill-formed signature before it.
    verdicts: isCanonicalContent
      ? [verdict]
      : [...new Set<Verdict>([verdict, "malformed", ...(isForm ? [] : (["signature"] as const))])],
    isCandidateSigned: isCandidateSigned && canonical !== text,
    isCanonicalContent,
    replay: {
      seq: seq?.kind === "integer" && seq.text.length <= 16 ? Number(seq.text) : null,
      ts: stringOf(member("ts")),
      nonce: stringOf(member("nonce")),
    },
  };
}

const instantForm = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of an instant with its zone; null for every other text. */
function instantOf(text: string): number | null {
  const parts = instantForm.exec(text);
  if (parts === null) return null;
  const local = new Date(`${text.slice(0, 19)}Z`);
  // A day that does not exist rolls over in this parse.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 19) !== text.slice(0, 19)) return null;
  const zone = /[+-]\d\d:\d\d$/.exec(text)?.[0];
  const offsetMinutes =
    zone === undefined ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return local.getTime() + Number((parts[6] ?? "").slice(1, 4).padEnd(3, "0")) - offsetMinutes * 60_000;
}

/** One guard per session and direction: true admits the frame, and only then anything is remembered. */
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
