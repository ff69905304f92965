import { describe, expect, test } from "vitest";
import { canonicalizeText } from "../json/canonical.ts";
import { projectSecret } from "../keys/derivation.ts";
import { createVerifier } from "./open.ts";

const master = "0123456789abcdef0123456789abcdef-demo-master";
const session = {
  agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  projectId: "11111111-2222-4333-8444-555555555555",
  sessionId: "99999999-8888-4777-8666-555555555555",
};
const secret = projectSecret(master, session.projectId);

const canonical =
  '{"hmac":"9ee4463c0a224a053faf8d583926eb375e7f843e20401853ef8f06b7b9d82ac1","id":"ev_0123456789ab",' +
  '"nonce":"AAAAAAAAAAAAAAAAAAAAAA","payload":{"events":[{"data":{"big":1e+16,"ratio":1.0,"result":"é✓","runtime_ms":12,' +
  '"task_name":"app.add","tiny":1e-07},"engine":"celery","id":"3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11",' +
  '"kind":"task.succeeded","occurred_at":"2026-01-02T03:04:05+00:00","task_id":"t-1"}]},"seq":1,' +
  '"ts":"2026-01-02T03:04:05.678901Z","type":"event_batch","v":2}';
const foreign =
  '{"v":2,"id":"ev_0123456789ab","ts":"2026-01-02T03:04:05.678901Z","nonce":"AAAAAAAAAAAAAAAAAAAAAA","seq":1,' +
  '"hmac":"9ee4463c0a224a053faf8d583926eb375e7f843e20401853ef8f06b7b9d82ac1","type":"event_batch","payload":{"events":' +
  '[{"id":"3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11","kind":"task.succeeded","engine":"celery","task_id":"t-1",' +
  '"occurred_at":"2026-01-02T03:04:05+00:00","data":{"task_name":"app.add","runtime_ms":12,"result":"é✓","ratio":1.0,' +
  '"tiny":1e-07,"big":1e+16}}]}}';

describe("the documented frame", () => {
  test("is 471 bytes of canonical text", () => {
    expect(Buffer.byteLength(canonical)).toBe(471);
    expect(canonicalizeText(canonical)).toBe(canonical);
    expect(canonicalizeText(foreign)).toBe(canonical);
  });

  test.each([
    ["a string", canonical],
    ["bytes", Buffer.from(canonical)],
  ])("is accepted on the fast path as %s", (_, message) => {
    const opened = createVerifier({ secret, session }).open(message);
    expect(opened).toMatchObject({ ok: true, path: "fast", text: canonical });
    expect(opened.ok && opened.frame).toMatchObject({
      v: 2,
      type: "event_batch",
      id: "ev_0123456789ab",
      ts: "2026-01-02T03:04:05.678901Z",
      nonce: "AAAAAAAAAAAAAAAAAAAAAA",
      seq: 1,
    });
  });

  test("is accepted on the slow path as a foreign sender writes it", () => {
    const fast = createVerifier({ secret, session }).open(canonical);
    const slow = createVerifier({ secret, session }).open(foreign);
    expect(slow).toMatchObject({ ok: true, path: "slow" });
    expect(slow.ok && fast.ok && slow.frame).toEqual(fast.ok && fast.frame);
  });

  test("is refused as malformed, not for its signature, when a number in it overflows", () => {
    for (const text of [canonical.replace("1e+16", "1e+999"), foreign.replace("1e+16", "1e999")]) {
      expect(createVerifier({ secret, session }).open(text)).toMatchObject({ ok: false, reason: "malformed" });
    }
  });

  test.each([
    ["agent", { ...session, agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeef" }],
    ["project", { ...session, projectId: "11111111-2222-4333-8444-555555555556" }],
    ["session", { ...session, sessionId: "" }],
  ])("is refused under another %s", (_, other) => {
    expect(createVerifier({ secret, session: other }).open(canonical)).toMatchObject({
      ok: false,
      reason: "signature",
    });
  });

  test("is refused under another secret", () => {
    const other = projectSecret(`${master}!`, session.projectId);
    expect(createVerifier({ secret: other, session }).open(canonical)).toMatchObject({
      ok: false,
      reason: "signature",
    });
  });
});
