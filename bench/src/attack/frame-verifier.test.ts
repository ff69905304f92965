import { describe, expect, test } from "vitest";
import {
  canonicalNumber,
  canonicalOf,
  createGuard,
  type FrameSession,
  judgeMessage,
  readText,
} from "./frame-verifier.ts";

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

  test("reads the foreign text to the canonical one", () => {
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
    ["a number beyond every double", canonical.replace("1e+16", "1e999"), "malformed"],
    ["an escaped lone surrogate", canonical.replace("é", "\\ud800"), "malformed"],
  ])("refuses %s", (_, message, verdict) => {
    expect(verdictOf(message)).toBe(verdict);
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(verdictOf(Buffer.from(canonical, "latin1"))).toBe("malformed");
  });

  test.each([
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["1.0", "1.0"],
    ["100.0", "100.0"],
    ["1E16", "1e+16"],
    ["1e15", "1000000000000000.0"],
    ["1e-4", "0.0001"],
    ["0.00001", "1e-05"],
    ["5e-324", "5e-324"],
    ["1.5E+300", "1.5e+300"],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740993.0", "9007199254740992.0"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
  ])("prints the number %s as %s", (lexeme, printed) => {
    expect(canonicalNumber(lexeme)).toBe(printed);
  });

  test("sorts keys by code point, and the last duplicate stands", () => {
    expect(canonicalOf(readText('{"\u{1f600}":1,"\ue000":2,"a":3,"a":4}'))).toBe('{"a":4,"\ue000":2,"\u{1f600}":1}');
    expect(canonicalOf(readText('{"b":[true,null,{"z":1,"a":""}],"B":1}'))).toBe(
      '{"B":1,"b":[true,null,{"a":"","z":1}]}',
    );
  });

  test.each(["01", "1.", ".5", "+1", "NaN", "1e", "{,}", "[1,]", '"\t"', '"\\x41"', "nul", "{}{}", ""])(
    "reads no JSON in %j",
    (text) => {
      expect(() => readText(text)).toThrow();
    },
  );
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
