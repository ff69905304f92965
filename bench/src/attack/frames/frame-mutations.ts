import { createHmac } from "node:crypto";
import { candidateOf, type FrameSession, signedTextOf } from "./frame-verifier.ts";
import { canonicalOf, isCanonicalNumber, readText } from "./json-text.ts";

/** Seeded pseudo-random numbers (mulberry32), so that a wrong verdict can be reproduced. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  number(below: number): number;
  pick<T>(values: readonly T[]): T;
  /** True with a probability of 1 in `often`. */
  once(often: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    pick: (values) => values[number(values.length)] as (typeof values)[number],
    once: (often) => number(often) === 0,
  };
}

export interface HostileFrame {
  readonly message: string | Uint8Array;
  /** Names of the mutations, for the report of a wrong verdict. */
  readonly mutations: readonly string[];
}

export const marker = "hostile-frame";

/** Key and value of a member as JSON texts, in wire order. */
type Member = [key: string, value: string];

const numbers = (
  "0 -0 1 -1 1.0 -0.0 0.0 1e3 1E3 1e+3 1.50 100e-2 1e15 1e16 1E16 1e-4 1e-5 0.00001 1e-07 5e-324 2e-324 1e-400 1e308 1e309 1e999 " +
  "-1e999 1.7976931348623157e308 1.7976931348623159e308 9007199254740991 9007199254740993 9007199254740993.0 0.1 0.30000000000000004 " +
  "123456789012345678901234567890 -123456789012345678901234567890 1e22 1e21 123456789012345680000.0 01 1. .5 +1 NaN Infinity 0x10 1e 1_000"
).split(" ");

function isJson(text: string): boolean {
  try {
    readText(text);
    return true;
  } catch {
    return false;
  }
}

/** The numbers among them that are not in canonical form. A frame with one, signed over its own bytes, must be refused. */
export const otherSpellings = numbers.filter((text) => isJson(text) && !isCanonicalNumber(text));

/** Possible positions of a number in a payload; a reader that only scans the text for numbers must find each. */
const numberPlaces: readonly ((number: string) => string)[] = [
  (number) => `{"events":[{"task_id":"${marker}","n":${number}}]}`,
  (number) => `{"n":${number},"z":"1.5"}`,
  (number) => `{"a":[${number}]}`,
  (number) => `{"a":[0,${number},1.5]}`,
  (number) => `{"a":[[],{},"",${number}]}`,
  (number) => `{"12:00:0":${number}}`,
  (number) => `{"\\"":"\\\\","a":${number}}`,
  (number) => `{"n" : \t\n\r ${number} }`,
  (number) => `{"a":[ ${number} , ${number}]}`,
];

// biome-ignore format: a table
const strings = [
  '""', '"a"', '"é✓"', '"\u{1f600}"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00x"', '"\\u0041"', '"\\/"', '"/"', '"\\u000a"',
  '"\\n"', '"\\u007f"', '"\u007f"', '"\u2028"', '"\ufffd"', '"\\ufffd"', '"\\u0000"', '"\\u001F"', '"\\u001f"', '"\t"',
  '"\\x41"', '"\\u12"', '"</script><script>alert(1)</script>"', "\"=cmd|' /C calc'!A0\"", '"%s%n$(id)`id`"',
  '"\'; DROP TABLE events;--"', '"unclosed',
] as const;

// biome-ignore format: a table
const extraKeys = [
  "", "a", "agent_ic", "agent_id", "agent_ie", "hmac", "hmaca", "h", "i", "id", "ida", "nonce", "nonce_", "p", "payload",
  "payloaf", "project_id", "project_idx", "q", "sep", "seq", "seqq", "session_id", "session_ie", "t", "ts", "tsa", "type", "u",
  "v", "v0", "w", "~", "__proto__", "constructor", "\u{1f600}", "\ue000",
] as const;

// biome-ignore format: a table
const types = [
  '"event_batch"', '"heartbeat"', '"command_result"', '"agent_status"', '"command"', '"hello"', '"hello_ack"', '"EVENT_BATCH"',
  '"x"', '""', "null", "7", '"event_batch\\u0000"', '"__proto__"', '["event_batch"]', '"\\u0065vent_batch"',
] as const;

// biome-ignore format: a table
const versions = [
  "2", "3", "1", "0", "-0", "-2", "2.0", "2e0", '"2"', "null", "[2]", "20000000000000000000000", "1e999", "02",
] as const;
// biome-ignore format: a table
const payloads = [
  "{}", "null", "[]", "0", '"x"', "true", '{"events":[]}', '{"status":"success"}', '{"status":"done"}', '{"status":1}',
] as const;
// biome-ignore format: a table
const ids = [
  '"ev_0123456789ab"', '""', "null", "5", `"${"i".repeat(64)}"`, `"${"i".repeat(65)}"`, '"\\ud800"',
] as const;
// biome-ignore format: a table
const seqs = [
  "0", "-1", "1.0", "1e0", "9007199254740991", "9007199254740992", "99999999999999999999", '"1"', "null", "true", "1e999",
] as const;
// biome-ignore format: a table
const nonces = [
  '""', "null", "5", `"${"n".repeat(32)}"`, `"${"n".repeat(33)}"`, '"AAAAAAAAAAAAAAAAAAAAAA"', '"\\ud800"',
] as const;
// biome-ignore format: a table
const signatures = [
  '""', "null", "0", `"${"0".repeat(64)}"`, `"${"A".repeat(64)}"`, `"${"a".repeat(63)}"`, `"${"a".repeat(128)}"`, '["a"]',
] as const;
// biome-ignore format: a table
const garbage: readonly (string | Uint8Array)[] = [
  "", " ", "null", "[]", "{}", "0", '"x"', "{", '{"a"', '{"a":1,}', "[1,]", "\ufeff{}", "\ud800", "{}{}", "nul", "\u0000", "-",
  '{"v":2}', '{"v":2,"type":"heartbeat"}', "/**/{}", "{'v':2}", "[".repeat(5000), Buffer.from([0xff, 0xfe]),
  Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), Buffer.from([0xc0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
];

/** Inserted at a random place in a text. */
const pieces = [" ", "\n", "0", '"', "\\", ",", "{}", "\u00a0", "\ufeff", "\u0000", "\ud800", "\u2028"] as const;

const soundValueCount = 12;

type Mutation = (members: Member[]) => void;

const textOf = (members: readonly Member[], space: string) =>
  `{${members.map(([key, text]) => `${space}${key}${space}:${space}${text}${space}`).join(",")}}`;

const set = (members: Member[], key: string, text: string) => {
  const found = members.find(([name]) => name === `"${key}"`);
  if (found !== undefined) found[1] = text;
};

/** Generates the frames of one session: valid ones and all kinds of mutations. */
export class FrameSource {
  readonly #random: Random;
  readonly #session: FrameSession;
  readonly #nowMs: () => number;
  readonly #strangers: readonly FrameSession[];
  /** Generated once: not all values have a canonical form, and finding one costs more than the frame around it. */
  readonly #soundValues: string[] = [];
  #made = 0;
  #previous = "";

  constructor(random: Random, session: FrameSession, nowMs: () => number) {
    this.#random = random;
    this.#session = session;
    this.#nowMs = nowMs;
    this.#strangers = [
      { ...session, agentId: `${session.agentId.slice(0, -1)}f` },
      { ...session, projectId: `${session.projectId.slice(0, -1)}e` },
      { ...session, sessionId: "" },
      { ...session, sessionId: `${session.sessionId} ` },
      { ...session, secret: Buffer.from(session.secret).fill(1, 31) },
    ];
    while (this.#soundValues.length < soundValueCount) {
      try {
        this.#soundValues.push(canonicalOf(readText(this.#value(1))));
      } catch {
        // No canonical form; try another value.
      }
    }
  }

  next(): HostileFrame {
    const random = this.#random;
    if (random.once(60)) return { message: random.pick(garbage), mutations: ["garbage"] };
    const members = this.#soundMembers();
    const mutations = Array.from({ length: random.pick([1, 1, 1, 2]) }, () =>
      random.pick(Object.keys(this.#memberMutations)),
    );
    for (const name of mutations) this.#memberMutations[name]?.(members);
    const isSpaced = random.once(12);
    const unsigned = textOf(members, isSpaced ? random.pick([" ", "\n", "\t", "\u00a0"]) : "");
    const mode = random.number(10);
    const signer = mode === 9 ? random.pick(this.#strangers) : this.#session;
    const text = mode === 0 ? unsigned : signed(unsigned, mode < 4 ? "candidate" : "meaning", signer);
    mutations.push(
      mode === 0 ? "unsigned" : mode < 4 ? "candidate signed" : mode === 9 ? "signed by a stranger" : "signed",
    );
    let message: string | Uint8Array = text;
    if (random.once(3)) {
      const name = random.pick(Object.keys(this.#textMutations));
      mutations.push(name);
      message = this.#textMutations[name]?.(text) ?? text;
      if (random.once(4) && typeof message === "string") {
        // Signed again with the project secret, over the changed bytes.
        const bare = message.replace(/"[0-9a-f]{64}"/, `"${"0".repeat(64)}"`);
        message = signed(bare, random.pick(["candidate", "meaning"] as const), this.#session);
        mutations.push("signed again");
      }
    }
    if (mode !== 0) this.#previous = text;
    if (typeof message === "string" && message.isWellFormed() && random.once(2)) message = Buffer.from(message);
    return { message, mutations };
  }

  #value(depth: number): string {
    const random = this.#random;
    const shape = random.number(depth > 3 ? 5 : 8);
    if (shape < 2) return random.pick(numbers.slice(0, 36));
    if (shape < 4) return random.pick(strings.slice(0, 8));
    if (shape === 4) return random.pick(["true", "false", "null"]);
    const size = random.number(4);
    const inner = Array.from({ length: size }, () => this.#value(depth + 1));
    if (shape < 7)
      return `{${inner.map((text, index) => `${JSON.stringify(`${random.pick(extraKeys)}${index}`)}:${text}`).join(",")}}`;
    return `[${inner.join(",")}]`;
  }

  #soundMembers(): Member[] {
    this.#made += 1;
    const nonce = `n${this.#made}-${this.#random.number(1e9).toString(36)}`;
    const event = `{"data":{"args":[${this.#random.pick(this.#soundValues)}],"task_name":"mail"},"engine":"bullmq","kind":"task.sent","occurred_at":"2026-01-02T03:04:05.000Z","task_id":"${marker}-${this.#made}"}`;
    return [
      ['"hmac"', `"${"0".repeat(64)}"`],
      ['"id"', `"ev_${this.#made.toString(16).padStart(12, "0")}"`],
      ['"nonce"', `"${nonce}"`],
      ['"payload"', `{"events":[${event}]}`],
      ['"seq"', String(this.#made)],
      ['"ts"', `"${new Date(this.#nowMs() - this.#random.number(30_000)).toISOString()}"`],
      ['"type"', '"event_batch"'],
      ['"v"', "2"],
    ];
  }

  #instant(): string {
    const iso = (offsetMs: number) => new Date(this.#nowMs() + offsetMs).toISOString();
    const zoned = `${iso(3_600_000).slice(0, 19)}+01:00`;
    const near = [-59_999, 60_000, -60_001, 61_000, -9e8].map(iso);
    const texts = [...near, iso(0).slice(0, 19), iso(0).slice(0, 10), zoned, "x"];
    return this.#random.pick([...texts.map((text) => `"${text}"`), "null", "0", '"2026-02-30T00:00:00Z"']);
  }

  /** Changes to the members, signed afterwards or not. */
  readonly #memberMutations: Readonly<Record<string, Mutation>> = {
    sound: () => {},
    "key order": (members) => void members.sort(() => this.#random.number(3) - 1),
    duplicate: (members) => {
      const random = this.#random;
      const [key, text] = random.pick(members);
      const plain = key.slice(1, -1);
      const escaped = `"\\u${plain.charCodeAt(0).toString(16).padStart(4, "0")}${plain.slice(1)}"`;
      const again = random.pick([text, this.#value(1), random.pick(payloads), random.pick(versions)]);
      members.splice(random.number(members.length + 1), 0, [random.once(2) ? key : escaped, again]);
    },
    "extra key": (members) => {
      const at = this.#random.number(members.length + 1);
      members.splice(at, 0, [JSON.stringify(this.#random.pick(extraKeys)), this.#value(1)]);
    },
    "missing key": (members) => void members.splice(this.#random.number(members.length), 1),
    number: (members) => set(members, "payload", this.#random.pick(numberPlaces)(this.#random.pick(numbers))),
    string: (members) =>
      set(members, "payload", `{"events":[{"task_id":"${marker}","s":${this.#random.pick(strings)}}]}`),
    nesting: (members) => {
      const random = this.#random;
      const depth = random.once(2000) ? 100_000 : random.number(60);
      const [open, close] = random.pick([
        ["[", "]"],
        ['{"a":', "}"],
      ] as const);
      const inner = `${open.repeat(depth)}${random.pick(numbers)}`;
      const closed = Math.max(0, depth - random.number(2) * random.number(2));
      set(members, "payload", `{"a":${inner}${close.repeat(closed)}}`);
    },
    v: (members) => set(members, "v", this.#random.pick(versions)),
    type: (members) => set(members, "type", this.#random.pick(types)),
    payload: (members) => set(members, "payload", this.#random.pick(payloads)),
    id: (members) => set(members, "id", this.#random.pick(ids)),
    hmac: (members) => set(members, "hmac", this.#random.pick(signatures)),
    seq: (members) => {
      const near = () => String(Math.max(0, this.#made - this.#random.number(3)));
      set(members, "seq", this.#random.once(2) ? near() : this.#random.pick(seqs));
    },
    nonce: (members) =>
      set(members, "nonce", this.#random.once(2) ? `"n${this.#made - 1}"` : this.#random.pick(nonces)),
    ts: (members) => set(members, "ts", this.#instant()),
  };

  /** Changes to the finished text, which its signature does not cover. */
  readonly #textMutations: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
    "bit flip": (text) => {
      const bytes = Buffer.from(text);
      const at = this.#random.number(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << this.#random.number(8));
      return bytes;
    },
    byte: (text) => {
      const bytes = Buffer.from(text);
      bytes[this.#random.number(bytes.length)] = this.#random.number(256);
      return bytes;
    },
    truncated: (text) => text.slice(0, this.#random.number(text.length)),
    removed: (text) => {
      const at = this.#random.number(text.length);
      return text.slice(0, at) + text.slice(at + 1 + this.#random.number(6));
    },
    inserted: (text) => {
      const at = this.#random.number(text.length);
      return text.slice(0, at) + this.#random.pick([...pieces, this.#random.pick(numbers)]) + text.slice(at);
    },
    spliced: (text) => {
      const at = this.#random.number(Math.min(text.length, this.#previous.length) || 1);
      return this.#previous.slice(0, at) + text.slice(at);
    },
    replayed: (text) => this.#previous || text,
    appended: (text) => text + this.#random.pick(["}", " ", "\u0000", "{}", ",", "\ufeff", text]),
  };
}

/** Sets the first `hmac` member to the signature of the text's meaning or of its candidate bytes. */
function signed(text: string, over: "meaning" | "candidate", session: FrameSession): string {
  const at = text.indexOf(`"${"0".repeat(64)}"`);
  if (at < 0) return text;
  let covered: string | undefined;
  try {
    const root = readText(text);
    if (over === "candidate") covered = candidateOf(text, session)?.candidate;
    else if (root.kind === "object") covered = signedTextOf(root, session);
  } catch {
    // A text without meaning keeps a signature of zeros.
  }
  if (covered === undefined) return text;
  const digest = createHmac("sha256", session.secret).update(covered).digest("hex");
  return `${text.slice(0, at + 1)}${digest}${text.slice(at + 65)}`;
}
