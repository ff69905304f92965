import { createHmac } from "node:crypto";
import { anyCharacter } from "@svc/testkit/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CanonicalError, canonicalizeText, canonicalText, readLexemes } from "../json/canonical.ts";
import type { OpenedFrame } from "./judge.ts";
import { createVerifier } from "./open.ts";
import { sessionKeyOf } from "./signature.ts";
import { createSlowPath } from "./slow-path.ts";

/**
 * For every canonical text, the fast path followed by the slow path gives the verdict of the slow path alone. For other texts the verdict
 * differs only when a holder of the secret signed exactly the candidate bytes of the text and all its numbers are canonical.
 */
const secret = Buffer.alloc(32, 7);
const session = {
  agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  projectId: "11111111-2222-4333-8444-555555555555",
  sessionId: "99999999-8888-4777-8666-555555555555",
};
const { open } = createVerifier({ secret, session });
const openSlowly = createSlowPath(sessionKeyOf({ secret, session }), session);
const hmacOf = (text: string) => createHmac("sha256", secret).update(text).digest("hex");

type Member = readonly [key: string, value: string];
const unsigned = "0".repeat(64);

/** Keys and values of a frame as JSON text, in canonical order. Signing adds the hmac. */
function frameMembers(payload: string, id = '"ev_0123456789ab"', ts = "2026-01-02T03:04:05.678901Z"): Member[] {
  return [
    ['"hmac"', `"${unsigned}"`],
    ['"id"', id],
    ['"nonce"', '"AAAAAAAAAAAAAAAAAAAAAA"'],
    ['"payload"', payload],
    ['"seq"', "1"],
    ['"ts"', `"${ts}"`],
    ['"type"', '"event_batch"'],
    ['"v"', "2"],
  ];
}

const textOf = (members: readonly Member[]) => `{${members.map(([key, value]) => `${key}:${value}`).join(",")}}`;
const withSignature = (text: string, signature: string) => text.replace(unsigned, signature);

/** The signature that a correct sender computes for the text. Null without a canonical form. */
function signatureOfMeaning(text: string): string | null {
  try {
    const { hmac: _, ...rest } = readLexemes(text) as Record<string, unknown>;
    const ids = { agent_id: session.agentId, project_id: session.projectId, session_id: session.sessionId };
    return hmacOf(canonicalText({ ...rest, ...ids }));
  } catch (error) {
    if (error instanceof CanonicalError) return null;
    throw error;
  }
}

/** The signature of the candidate that the fast path builds from the text, implemented independently. */
function signatureOfCandidate(text: string): string | null {
  const rest = text.slice(`{"hmac":"${unsigned}",`.length);
  const cut = /^(.*)(,"seq":[1-9]\d{0,15})(,"ts":"[^"\\]*","type":"[a-z_]+","v":2\})$/s.exec(rest);
  if (cut === null) return null;
  const [, head, seq, end] = cut;
  const { agentId, projectId, sessionId } = session;
  return hmacOf(`{"agent_id":"${agentId}",${head},"project_id":"${projectId}"${seq},"session_id":"${sessionId}"${end}`);
}

function canonicalOf(text: string): string | null {
  try {
    return canonicalizeText(text);
  } catch {
    return null;
  }
}

/** Whether a number outside of strings is not in canonical form, implemented independently. */
function holdsOddNumber(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
  const numbers = outside.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  return numbers.some((number) => canonicalOf(number) !== number);
}

const verdictOf = (opened: OpenedFrame) => (opened.ok ? opened.frame : { reason: opened.reason, id: opened.id });

/** Runs both paths on one text. `isCandidateSigned`: its signature covers the candidate, not the canonical form. */
function expectSameVerdict(text: string, isCandidateSigned: boolean): void {
  const both = open(text);
  expect(verdictOf(open(Buffer.from(text)))).toEqual(verdictOf(both));
  const slow = openSlowly(text);
  // A valid candidate signature shows as an accepted frame, or as one refused only for its id.
  const isFoundFast = both.ok ? both.path === "fast" : both.reason === "malformed" && both.id === "";
  const isHarmless =
    isCandidateSigned && canonicalOf(text) !== text && !holdsOddNumber(text) && isFoundFast && !slow.ok;
  if (!isHarmless) expect(verdictOf(both)).toEqual(verdictOf(slow));
}

function expectSameVerdictHoweverSigned(text: string): void {
  expectSameVerdict(text, false);
  const meaning = signatureOfMeaning(text);
  if (meaning !== null) expectSameVerdict(withSignature(text, meaning), false);
  const candidate = signatureOfCandidate(text);
  if (candidate !== null) expectSameVerdict(withSignature(text, candidate), true);
}

const numbers = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => canonicalText([value]).slice(1, -1)),
  fc.constantFrom("1.0", "1e+16", "1e-07", "-0.0", "9007199254740993", "1E16", "1e16", "1e-7", "-0", "0.10", "1e400"),
  fc.constantFrom("1.50", "-1e999", "1E5", "1e5", "0e0", "10000000000000000.0", "1.0e0", "1e-400", "0.00001", "0.1"),
);
const strings = fc
  .oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("\ufffd", "\ue000", "\u{1f600}", "project_id", '","seq":1,"ts":"', ",1.50", '":1e999', "[ -0,"),
  )
  .map((text) => JSON.stringify(text));
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.oneof(numbers, strings, fc.constantFrom("null", "true", "false")),
    fc.array(tie("json"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc.array(fc.tuple(strings, tie("json")), { maxLength: 4 }).map(textOf),
  ),
}));
const payloads = fc.oneof(
  fc.array(fc.tuple(strings, json), { maxLength: 5 }).map(textOf),
  fc.tuple(json, fc.nat(300)).map(([inner, depth]) => `{"a":${"[".repeat(depth)}${inner}${"]".repeat(depth)}}`),
  fc.constantFrom("null", "[]", "1"),
);
const ids = strings.filter((text) => text.length < 40);
const frames = fc.oneof(
  fc.tuple(payloads, ids).map(([payload, id]) => frameMembers(payload, id)),
  payloads.map((payload) => frameMembers(payload)),
);

/** Keys that sort before, between and after the known ones, including the ids that only the signed object has. */
const extraKeys = fc.constantFrom(
  ...[
    "",
    "a",
    "agent_id",
    "agent_ie",
    "hmab",
    "hmac0",
    "i",
    "ida",
    "nonce_",
    "p",
    "payloaf",
    "project_ic",
    "project_id",
  ],
  ...[
    "project_idx",
    "q",
    "sep",
    "seqq",
    "session_id",
    "session_ie",
    "t",
    "tsa",
    "typ",
    "u",
    "v0",
    "w",
    "~",
    "\u{1f600}",
    "\ue000",
  ],
);

describe("both verification paths", () => {
  test("agree on canonical frames", () => {
    fc.assert(
      fc.property(frames, (members) => {
        const received = textOf(members);
        const signature = signatureOfMeaning(received);
        if (signature === null) return;
        const canonical = withSignature(canonicalizeText(received), signature);
        expect(canonicalOf(canonical)).toBe(canonical);
        expectSameVerdict(canonical, false);
        const opened = open(canonical);
        if (opened.ok) expect(opened.path).toBe("fast");
        expectSameVerdictHoweverSigned(received);
      }),
      { numRuns: 400 },
    );
  });

  test("agree on frames with further keys, in canonical order or not", () => {
    const extras = fc.array(fc.tuple(extraKeys, json, fc.nat(12)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(frames, extras, (members, added) => {
        const all = [...members];
        for (const [key, value, at] of added) all.splice(Math.min(at, all.length), 0, [JSON.stringify(key), value]);
        const text = textOf(all);
        expectSameVerdictHoweverSigned(text);
        const canonical = canonicalOf(text);
        if (canonical !== null) expectSameVerdictHoweverSigned(canonical);
      }),
      { numRuns: 400 },
    );
  });

  test("agree on duplicates of known keys, plain or escaped", () => {
    const known = fc.constantFrom("hmac", "id", "nonce", "payload", "seq", "ts", "type", "v", "agent_id", "session_id");
    const values = fc.oneof(json, fc.constantFrom(`"${unsigned}"`, '"heartbeat"', "2", "3", "2.0", "{}", '"hello"'));
    const escaped = (key: string) => `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}"`;
    fc.assert(
      fc.property(frames, known, values, fc.nat(9), fc.boolean(), (members, key, value, at, isEscaped) => {
        const all = [...members];
        all.splice(Math.min(at, all.length), 0, [isEscaped ? escaped(key) : `"${key}"`, value]);
        expectSameVerdictHoweverSigned(textOf(all));
      }),
      { numRuns: 400 },
    );
  });

  test("agree with white space at every joint", () => {
    const text = textOf(frameMembers('{"events":[{"a":[1,{"b":"x, y"}]},{}]}'));
    const joints = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^"[\]{}:,]+/g)].map((token) => token.index);
    for (const joint of [...joints, text.length]) {
      for (const space of [" ", "\n", "\t", "\r", "\u00a0", "\ufeff"]) {
        expectSameVerdictHoweverSigned(text.slice(0, joint) + space + text.slice(joint));
      }
    }
  });

  test("accept a text of white space or escapes that a holder of the secret signed byte for byte", () => {
    const text = textOf(frameMembers('{"events": ["\\u0041"]}'));
    const opened = open(withSignature(text, signatureOfCandidate(text) as string));
    expect(opened).toMatchObject({ ok: true, path: "fast", frame: { payload: { events: ["A"] } } });
  });

  test.each(["1e999", "-1e999", "1e400", " 1e999", `1${"0".repeat(400)}.0`, `1${"0".repeat(300)}e99`])(
    "refuse the number %s as malformed, even with a valid signature",
    (number) => {
      for (const payload of [`{"a":${number}}`, `{"a":[${number}]}`, `{"a":[1,${number}]}`, `{"a" :${number}}`]) {
        const text = textOf(frameMembers(payload));
        const signed = withSignature(text, signatureOfCandidate(text) as string);
        for (const message of [signed, Buffer.from(signed), ` ${signed}`, text, withSignature(text, "no signature")]) {
          expect(open(message)).toMatchObject({ ok: false, reason: "malformed", id: "ev_0123456789ab" });
        }
      }
    },
  );

  test.each(["1.50", "1E5", "1e5", "-0", "1e16", "0.00001", "100.00", "1e-400"])(
    "judge the spelling %s by its canonical form",
    (number) => {
      const text = textOf(frameMembers(`{"a":[${number}],"b":${number}}`));
      expect(open(withSignature(text, signatureOfCandidate(text) as string))).toMatchObject({ reason: "signature" });
      expect(open(withSignature(text, signatureOfMeaning(text) as string))).toMatchObject({ ok: true, path: "slow" });
    },
  );

  test.each(['{"a":[0.1,-0.5,1e-07,1.5e+300,-0.0,0,-1]}', '{"a":"x,1.50","b":", 1e999","c":"\\":-0,","d":0.1}'])(
    "take the fast path for %s",
    (payload) => {
      const text = textOf(frameMembers(payload));
      expect(open(withSignature(text, signatureOfMeaning(text) as string))).toMatchObject({ ok: true, path: "fast" });
    },
  );

  test("refuse a second hmac, even when a holder of the secret signed the bytes with it", () => {
    const [first, ...others] = frameMembers("{}");
    const text = textOf([first as Member, ['"hmac"', '"x"'], ...others]);
    expect(open(withSignature(text, signatureOfCandidate(text) as string))).toMatchObject({
      ok: false,
      reason: "signature",
    });
  });

  test("agree on 100,000 levels of nesting", () => {
    const depth = 100_000;
    for (const payload of [
      `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
      `${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`,
      `{"a":${"[".repeat(depth)}12345678901234567890${"]".repeat(depth)}}`,
    ]) {
      const text = textOf(frameMembers(payload));
      const signed = withSignature(text, signatureOfMeaning(text) as string);
      expect(open(signed)).toMatchObject({ ok: true, path: "fast" });
      expect(open(Buffer.from(` ${signed}`))).toMatchObject({ ok: true, path: "slow" });
      expect(open(text)).toMatchObject({ ok: false, reason: "signature" });
    }
  });
});

describe("a signed frame", () => {
  const text = textOf(frameMembers('{"events":[{"data":{"big":1e+16,"n":12345678901234567890,"s":"é✓😀\\n\ufffd"}}]}'));
  const signed = withSignature(text, signatureOfMeaning(text) as string);

  test("is refused after a change of any byte, unless the bytes still mean exactly the same", () => {
    const bytes = Buffer.from(signed);
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      for (const flip of [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ flip;
        const opened = open(changed);
        if (opened.ok) expect(canonicalizeText(opened.text)).toBe(signed);
        else refused += 1;
      }
    }
    // One change keeps the meaning: the case of the e in an exponent.
    expect(refused).toBe(bytes.length * 8 - 1);
  });

  test("changed by one byte is accepted by both paths or by neither", () => {
    fc.assert(
      fc.property(frames, fc.nat(), fc.integer({ min: 1, max: 255 }), (members, position, flip) => {
        const received = textOf(members);
        const signature = signatureOfMeaning(received);
        if (signature === null) return;
        const canonical = withSignature(canonicalizeText(received), signature);
        const bytes = Buffer.from(canonical);
        const at = position % bytes.length;
        bytes[at] = (bytes[at] as number) ^ flip;
        const opened = open(bytes);
        if (opened.ok) expect(canonicalizeText(opened.text)).toBe(canonical);
        const changed = bytes.toString("utf8");
        if (Buffer.from(changed).equals(bytes) && !changed.startsWith("\ufeff")) expectSameVerdict(changed, false);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is refused when a lone surrogate replaces U+FFFD, which encodes to the same bytes", () => {
    const swapped = signed.replace("\ufffd", "\ud800");
    expect(Buffer.from(swapped).equals(Buffer.from(signed))).toBe(true);
    expect(open(swapped)).toMatchObject({ ok: false, reason: "malformed" });
    const escaped = text.replace("\ufffd", "\\ud800");
    expect(open(withSignature(escaped, hmacOf("x")))).toMatchObject({ ok: false, reason: "malformed" });
  });

  test("is refused with a byte order mark or bytes that are not UTF-8", () => {
    expect(open(`\ufeff${signed}`)).toMatchObject({ ok: false, reason: "malformed" });
    expect(open(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(signed)]))).toMatchObject({
      reason: "malformed",
    });
    expect(open(Buffer.from(signed, "latin1"))).toMatchObject({ ok: false, reason: "malformed" });
    expect(open(Buffer.from([0xed, 0xa0, 0x80]))).toMatchObject({ ok: false, reason: "malformed" });
  });
});
