import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isRawJson } from "../json/raw.ts";
import { createVerifier } from "./open.ts";
import { createSigner } from "./sign.ts";

const secret = Buffer.alloc(32, 9);
const session = { agentId: "agent", projectId: "project", sessionId: 'nonce with "quotes" and \\' };
const { open } = createVerifier({ secret, session });

function signed(type: Parameters<ReturnType<typeof createSigner>["sign"]>[0], payload: Record<string, unknown> | null) {
  return createSigner({ secret, session }).sign(type, payload, "hb_0123456789ab");
}

describe("a verifier", () => {
  test("accepts every frame of the signer, with null payloads and unusual session ids", () => {
    expect(open(signed("heartbeat", null))).toMatchObject({ ok: true, path: "fast", frame: { payload: null, seq: 1 } });
  });

  test("reads an absent payload as null", () => {
    const opened = open('{"v":2,"type":"heartbeat","id":"x"}');
    expect(opened).toMatchObject({ ok: false, reason: "signature", frameType: "heartbeat", id: "x" });
  });

  test("keeps a number beyond double precision as its lexeme", () => {
    const opened = open(signed("event_batch", { events: [{ data: { args: [12345678901234567890n] } }] }));
    const events = (opened.ok ? opened.frame.payload?.events : []) as { data: { args: unknown[] } }[];
    expect(isRawJson(events[0]?.data.args[0])).toBe(true);
    expect(JSON.stringify(events)).toBe('[{"data":{"args":[12345678901234567890]}}]');
  });

  // Each text would also fail a later check, so the reason shows the order of checks.
  test.each([
    ["no JSON", "{", "malformed"],
    ["an array", "[]", "malformed"],
    ["null", "null", "malformed"],
    ["no v", "{}", "malformed"],
    ["v as a string", '{"v":"2"}', "malformed"],
    ["v as a float", '{"v":2.0,"type":"heartbeat"}', "malformed"],
    ["another v", '{"v":3,"type":7}', "skew"],
    ["a huge v", '{"v":123456789012345678901234567890}', "skew"],
    ["no type", '{"v":2}', "malformed"],
    ["an unknown type", '{"v":2,"type":"gossip","payload":[]}', "unknown_type"],
    ["a hello", '{"v":2,"type":"hello","id":"x","payload":{}}', "handshake"],
    ["an array as payload", '{"v":2,"type":"heartbeat","payload":[],"id":"x"}', "malformed"],
    ["a long number as payload", '{"v":2,"type":"heartbeat","payload":9007199254740993,"id":"x"}', "malformed"],
    ["a long number as frame", "9007199254740993", "malformed"],
    ["an empty id without signature", '{"v":2,"type":"heartbeat","payload":{},"id":""}', "signature"],
    ["no signature", '{"v":2,"type":"heartbeat","id":"x","payload":{}}', "signature"],
    ["a signature in capitals", `{"v":2,"type":"heartbeat","id":"x","hmac":"${"A".repeat(64)}"}`, "signature"],
    ["a long signature", `{"v":2,"type":"heartbeat","id":"x","hmac":"${"a".repeat(129)}"}`, "signature"],
    [
      "a number that overflows",
      `{"v":2,"type":"heartbeat","id":"x","hmac":"${"a".repeat(64)}","n":1e999}`,
      "malformed",
    ],
  ])("refuses %s", (_, text, reason) => {
    expect(open(text)).toMatchObject({ ok: false, reason });
  });

  test("refuses an escaped lone surrogate, which has no canonical form, though its bytes are signed", () => {
    const id = '"hb_0123456789ab"';
    const text = signed("heartbeat", { note: "?" });
    const escaped = text.replace('"?"', '"\\ud800"');
    const [head, tail] = escaped.slice(escaped.indexOf('"id":')).split(',"seq":1');
    const ids = Object.fromEntries(Object.entries(session).map(([name, text]) => [name, JSON.stringify(text)]));
    const candidate =
      `{"agent_id":${ids.agentId},${head},"project_id":${ids.projectId},"seq":1` +
      `,"session_id":${ids.sessionId}${tail}`;
    const hmac = createHmac("sha256", secret).update(candidate).digest("hex");
    const again = escaped.replace(/"[0-9a-f]{64}"/, `"${hmac}"`);
    expect(again).toContain(`"id":${id}`);
    expect(open(again)).toMatchObject({ ok: false, reason: "malformed" });
  });

  test("checks the status of a command result after its signature", () => {
    expect(open(signed("command_result", { status: "success" })).ok).toBe(true);
    expect(open(signed("command_result", { status: "done" }))).toMatchObject({ ok: false, reason: "malformed" });
    const forged = signed("command_result", { status: "done" }).replace("done", "sent");
    expect(open(forged)).toMatchObject({ ok: false, reason: "signature" });
  });

  test.each(["", "x".repeat(65)])("checks the id %j after its signature", (id) => {
    const text = createSigner({ secret, session }).sign("heartbeat", {}, id);
    expect(open(text)).toMatchObject({ ok: false, reason: "malformed" });
    expect(open(` ${text}`)).toMatchObject({ ok: false, reason: "malformed" });
    expect(open(text.replace('"v":2', '"v": 3'))).toMatchObject({ ok: false, reason: "skew" });
    expect(open(text.replace('"payload":{}', '"payload":{"a":1}'))).toMatchObject({ ok: false, reason: "signature" });
  });

  test("reads seq only from an integer lexeme", () => {
    const text = signed("heartbeat", {}).replace('"seq":1,', '"seq":1.0,');
    expect(open(text)).toMatchObject({ ok: false, reason: "signature" });
  });
});

describe("createSigner", () => {
  test("numbers frames from 1 in send order, each with its own nonce", () => {
    const signer = createSigner({ secret, session, now: () => new Date("2026-01-02T03:04:05Z") });
    const opened = [1, 2, 3].map(() => open(signer.sign("heartbeat", {}, "hb_1")));
    const frames = opened.map((each) => (each.ok ? each.frame : null));
    expect(frames.map((frame) => frame?.seq)).toEqual([1, 2, 3]);
    expect(frames[0]?.ts).toBe("2026-01-02T03:04:05.000Z");
    expect(new Set(frames.map((frame) => frame?.nonce)).size).toBe(3);
    expect(frames[0]?.nonce).toMatch(/^[\w-]{22}$/);
    signer.resetSeq();
    expect(open(signer.sign("heartbeat", {}, "hb_1"))).toMatchObject({ frame: { seq: 1 } });
  });

  test("uses no sequence number for a payload without canonical form", () => {
    const signer = createSigner({ secret, session });
    expect(() => signer.sign("event_batch", { text: "\ud800" }, "ev_1")).toThrow();
    expect(open(signer.sign("event_batch", {}, "ev_1"))).toMatchObject({ ok: true, frame: { seq: 1 } });
  });

  test("signs canonical payload text as it signs the payload", () => {
    const text = createSigner({ secret, session }).signText("event_batch", '{"a":1.0,"b":"é"}', "ev_1");
    expect(open(text)).toMatchObject({ ok: true, path: "fast", frame: { payload: { a: 1, b: "é" } } });
  });
});
