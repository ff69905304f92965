import { describe, expect, test } from "vitest";
import { canonicalizeText } from "../json/canonical.ts";
import { encodeHello, encodeHelloAck, type HelloPayload, parseHello, parseHelloAck } from "./hello.ts";

const hello: HelloPayload = {
  protocol_version: "2",
  agent_version: "0.1.0",
  framework: "node",
  engines: ["bullmq"],
  schedulers: [],
  capabilities: { bullmq: ["retry_task"] },
  host: { name: "web-1" },
  worker_id: "node-7-1767323045000",
  worker_role: "task",
  worker_pid: 7,
  worker_started_at: "2026-01-02T03:04:05.000Z",
  runtime_features: [],
};
const ack = {
  protocol_version: "2",
  brain_version: "0.1.0",
  agent_id: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  project_id: "11111111-2222-4333-8444-555555555555",
  session_id: "99999999-8888-4777-8666-555555555555",
  heartbeat_interval_seconds: 10,
  max_frame_size_bytes: 1_048_576,
};
const frameWith = (payload: unknown, rest: Record<string, unknown> = {}) =>
  JSON.stringify({ v: 2, type: "hello", id: "h", ts: null, payload, ...rest });

describe("hello", () => {
  test("survives encoding and parsing, in canonical text", () => {
    const text = encodeHello(hello, { id: "hello_1" });
    expect(canonicalizeText(text)).toBe(text);
    expect(parseHello(text)).toEqual({ ok: true, payload: hello, id: "hello_1" });
    expect(parseHello(Buffer.from(text))).toEqual({ ok: true, payload: hello, id: "hello_1" });
  });

  test("may omit the fields about the process and have unknown keys", () => {
    const { worker_id, worker_role, worker_pid, worker_started_at, ...rest } = hello;
    const parsed = parseHello(frameWith({ ...rest, protocol_version: "3", surprise: true }));
    const unnamed = { worker_id: null, worker_role: null, worker_pid: null, worker_started_at: null };
    expect(parsed).toEqual({ ok: true, payload: { ...rest, protocol_version: "3", ...unnamed }, id: "h" });
  });

  test.each([
    "protocol_version",
    "agent_version",
    "framework",
    "engines",
    "schedulers",
    "capabilities",
    "host",
    "runtime_features",
  ])("without %s is malformed", (name) => {
    expect(parseHello(frameWith({ ...hello, [name]: undefined }))).toMatchObject({ ok: false, reason: "malformed" });
  });

  test.each([undefined, null, 7, "", "x".repeat(65)])("with the frame id %j is malformed", (id) => {
    expect(parseHello(frameWith(hello, { id }))).toMatchObject({ ok: false, reason: "malformed" });
  });

  test("returns only texts that a database can store", () => {
    const bad = "a\u0000\ud800";
    const texts = { agent_version: bad, framework: bad, worker_id: bad, worker_role: bad };
    const lists = { engines: [bad], schedulers: [bad], runtime_features: [bad], capabilities: { [bad]: [bad] } };
    const clean = "a\ufffd\ufffd";
    expect(parseHello(frameWith({ ...hello, ...texts, ...lists }))).toMatchObject({
      ok: true,
      payload: {
        agent_version: clean,
        framework: clean,
        worker_id: clean,
        worker_role: clean,
        engines: [clean],
        schedulers: [clean],
        runtime_features: [clean],
        capabilities: { [clean]: [clean] },
      },
    });
  });

  test.each([
    [{ ...hello, protocol_version: 2 }],
    [{ ...hello, agent_version: "x".repeat(41) }],
    [{ ...hello, engines: ["a", 1] }],
    [{ ...hello, engines: Array(65).fill("e") }],
    [{ ...hello, capabilities: { bullmq: "retry_task" } }],
    [{ ...hello, host: [] }],
    [{ ...hello, worker_pid: -1 }],
    [{ ...hello, worker_id: "x".repeat(129) }],
    [null],
    [[]],
  ])("with a value of the wrong type is malformed (%#)", (payload) => {
    expect(parseHello(frameWith(payload))).toMatchObject({ ok: false, reason: "malformed" });
  });

  test.each([
    ["{", "malformed"],
    ["[]", "malformed"],
    ["null", "malformed"],
    [frameWith(hello, { v: 3 }), "skew"],
    [frameWith(hello, { v: "2" }), "malformed"],
    [frameWith(hello, { type: "heartbeat" }), "other_type"],
    [`\ufeff${frameWith(hello)}`, "malformed"],
  ])("is refused as %s", (text, reason) => {
    expect(parseHello(text)).toMatchObject({ ok: false, reason });
  });
});

describe("hello_ack", () => {
  test("has an id derived from its session and survives encoding and parsing", () => {
    const text = encodeHelloAck(ack);
    expect(parseHelloAck(text)).toEqual({ ok: true, payload: ack, id: "hack_999999998888" });
  });

  test("outside its ranges is malformed", () => {
    expect(parseHelloAck(encodeHelloAck({ ...ack, heartbeat_interval_seconds: 0 }))).toMatchObject({ ok: false });
    expect(parseHelloAck(encodeHelloAck({ ...ack, max_frame_size_bytes: 1_023 }))).toMatchObject({ ok: false });
  });
});
