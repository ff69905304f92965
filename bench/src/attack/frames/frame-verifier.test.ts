import { describe, expect, test } from "vitest";
import { candidateOf, createGuard, type FrameSession, judgeMessage, signatureOf } from "./frame-verifier.ts";
import { canonicalOf, readText } from "./json-text.ts";

const session: FrameSession = {
  secret: Buffer.from("8f817137a6eeee9835554cbbd8582f5191dfcbf0042e30ae206bf78a38d2cfa2", "hex"),
  agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  projectId: "11111111-2222-4333-8444-555555555555",
  sessionId: "99999999-8888-4777-8666-555555555555",
};

const hmac = "9ee4463c0a224a053faf8d583926eb375e7f843e20401853ef8f06b7b9d82ac1";
const canonical =
  `{"hmac":"${hmac}","id":"ev_0123456789ab",` +
  '"nonce":"AAAAAAAAAAAAAAAAAAAAAA","payload":{"events":[{"data":{"big":1e+16,"ratio":1.0,"result":"é✓","runtime_ms":12,' +
  '"task_name":"app.add","tiny":1e-07},"engine":"celery","id":"3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11",' +
  '"kind":"task.succeeded","occurred_at":"2026-01-02T03:04:05+00:00","task_id":"t-1"}]},"seq":1,' +
  '"ts":"2026-01-02T03:04:05.678901Z","type":"event_batch","v":2}';
const foreign =
  '{"v":2,"id":"ev_0123456789ab","ts":"2026-01-02T03:04:05.678901Z","nonce":"AAAAAAAAAAAAAAAAAAAAAA","seq":1,' +
  `"hmac":"${hmac}","type":"event_batch","payload":{"events":` +
  '[{"id":"3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11","kind":"task.succeeded","engine":"celery","task_id":"t-1",' +
  '"occurred_at":"2026-01-02T03:04:05+00:00","data":{"task_name":"app.add","runtime_ms":12,"result":"é✓","ratio":1.0,' +
  '"tiny":1e-07,"big":1e+16}}]}}';

const verdictOf = (message: string | Uint8Array, as: FrameSession = session) => judgeMessage(message, as).verdicts[0];

describe("the independent verifier", () => {
  test.each([
    ["canonical", canonical],
    ["as bytes", Buffer.from(canonical)],
    ["of a foreign sender", foreign],
  ])("accepts the published frame, %s", (_, message) => {
    expect(judgeMessage(message, session)).toMatchObject({
      verdicts: ["accepted"],
      replay: { seq: 1, ts: "2026-01-02T03:04:05.678901Z", nonce: "AAAAAAAAAAAAAAAAAAAAAA" },
    });
  });

  test("converts the foreign text to the canonical one", () => {
    expect(canonicalOf(readText(foreign))).toBe(canonical);
  });

  test.each([
    ["another agent", { ...session, agentId: `${session.agentId.slice(0, -1)}f` }],
    ["another project", { ...session, projectId: `${session.projectId.slice(0, -1)}6` }],
    ["another session", { ...session, sessionId: "" }],
    ["another secret", { ...session, secret: Buffer.alloc(32) }],
  ])("refuses the published frame under %s", (_, other) => {
    expect(verdictOf(canonical, other)).toBe("signature");
  });

  test.each([
    ["a changed value", canonical.replace("t-1", "t-2"), "signature"],
    ["no signature", canonical.replace(`"hmac":"${hmac}",`, ""), "signature"],
    ["another version", canonical.replace('"v":2}', '"v":3}'), "skew"],
    ["a version that is no integer", canonical.replace('"v":2}', '"v":2.0}'), "malformed"],
    ["an unknown type", canonical.replace("event_batch", "event_bitch"), "unknown_type"],
    ["a handshake type", canonical.replace("event_batch", "hello"), "handshake"],
    ["a payload that is a list", canonical.replace(/"payload":\{.*\]\}/, '"payload":[]'), "malformed"],
    ["a byte order mark", `\ufeff${canonical}`, "malformed"],
    ["a cut text", canonical.slice(0, -1), "malformed"],
    ["a number that overflows a double", canonical.replace("1e+16", "1e999"), "malformed"],
    ["an escaped lone surrogate", canonical.replace("é", "\\ud800"), "malformed"],
  ])("refuses %s", (_, message, verdict) => {
    expect(verdictOf(message)).toBe(verdict);
  });

  /** The frame signed over its own bytes. */
  const signedAsCarried = (frame: string) =>
    frame.replace(hmac, signatureOf(session, candidateOf(frame, session)!.candidate));

  test.each([
    ["an escape that is not in canonical form", canonical.replace("é", "\\u00e9"), "accepted"],
    ["such an escape and no id", canonical.replace("é", "\\u00e9").replace("ev_0123456789ab", ""), "malformed"],
    ["white space between its values", canonical.replace('"ratio":1.0,', '"ratio": 1.0, '), "accepted"],
  ])("allows a signature over the frame's own bytes for %s", (_, text, verdict) => {
    expect(judgeMessage(signedAsCarried(text), session)).toMatchObject({
      verdicts: ["signature"],
      candidateVerdict: verdict,
      otherSpellings: [],
    });
    const withOther = judgeMessage(signedAsCarried(text.replace('"id":', '"ic":0,"id":')), session);
    expect(withOther).toMatchObject({ verdicts: ["signature"], candidateVerdict: null });
  });

  test.each(["1E-7", "1.50", "1E5", "-0", "1e16", "100e-2"])(
    "does not allow it with a number that is not in canonical form: %s",
    (number) => {
      expect(judgeMessage(signedAsCarried(canonical.replace("1e-07", number)), session)).toMatchObject({
        verdicts: ["signature"],
        candidateVerdict: null,
        otherSpellings: [number],
      });
    },
  );

  test("allows only a refusal for a number that overflows a double", () => {
    const judgement = judgeMessage(signedAsCarried(canonical.replace("1e-07", "1e999")), session);
    expect(judgement).toMatchObject({ candidateVerdict: null, otherSpellings: ["1e999"] });
    expect(judgement.verdicts).not.toContain("accepted");
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(verdictOf(Buffer.from(canonical, "latin1"))).toBe("malformed");
  });
});

describe("its replay guard", () => {
  const frame = { seq: 1, ts: "2026-01-02T03:04:05Z", nonce: "a" };
  const guardAt = (text: string) => createGuard({ nowMs: () => Date.parse(text), monotonicMs: () => 0 });

  test("admits a frame once, and remembers nothing of a refused one", () => {
    const admits = guardAt("2026-01-02T03:04:05Z");
    expect(admits({ ...frame, ts: "2026-01-02T03:05:06Z" })).toBe(false);
    expect(admits(frame)).toBe(true);
    expect(admits(frame)).toBe(false);
    expect(admits({ ...frame, seq: 2 })).toBe(false);
    expect(admits({ ...frame, seq: 2, nonce: "b" })).toBe(true);
  });

  test.each([
    ["no zone", { ts: "2026-01-02T03:04:05" }],
    ["a day that does not exist", { ts: "2026-02-30T03:04:05Z" }],
    ["a minute and a millisecond of age", { ts: "2026-01-02T03:03:04.999Z" }],
    ["sequence 0", { seq: 0 }],
    ["no sequence", { seq: null }],
    ["an empty nonce", { nonce: "" }],
    ["a nonce of 33 characters", { nonce: "n".repeat(33) }],
  ])("refuses %s", (_, changes) => {
    expect(guardAt("2026-01-02T03:04:05Z")({ ...frame, ...changes })).toBe(false);
  });

  test("admits a frame of another zone that is a minute old", () => {
    expect(guardAt("2026-01-02T03:05:05Z")({ ...frame, ts: "2026-01-02T05:04:05+02:00" })).toBe(true);
  });
});
