import { describe, expect, test } from "vitest";
import { createLog, type LogOptions } from "./log.ts";

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "info", json: true, write: (line) => void lines.push(line), ...options });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe("a log line", () => {
  test("is one JSON object with timestamp, level, event and the given identifiers", () => {
    const { log, lines, last } = logged();
    log.child({ request_id: "r-12345678" }).warn("agent.offline", { agent_id: "a" });
    expect(lines[0]!.endsWith("}\n")).toBe(true);
    expect(last()).toMatchObject({ level: "warn", event: "agent.offline", request_id: "r-12345678", agent_id: "a" });
    expect(last().timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("below the level is not written", () => {
    const { log, lines } = logged({ level: "warn" });
    log.info("quiet");
    expect(lines).toEqual([]);
  });

  test("masks values under secret names at any depth, and keeps ids", () => {
    const { log, lines } = logged();
    log.info("x", {
      password: "p1",
      nested: { hmac_secret: "p2", list: [{ Authorization: "p3" }] },
      api_key_id: "keep",
    });
    expect(lines[0]).not.toMatch(/p[123]"/);
    expect(lines[0]).toContain('"api_key_id":"keep"');
  });

  test("prints an error's name, message, code, stack and cause, and nothing else of it", () => {
    const { log, last } = logged();
    const cause = Object.assign(new Error("duplicate key"), { code: "23505", detail: "Key (email)=(a@b.c) exists" });
    log.error("http.failed", { err: new Error("cannot reach postgres://user:hunter2@db/x", { cause }) });
    const text = JSON.stringify(last());
    expect(last().err).toMatchObject({ name: "Error", cause: { code: "23505", message: "duplicate key" } });
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("a@b.c");
  });

  test("is readable text when JSON is off", () => {
    const { log, lines } = logged({ json: false });
    log.info("brain.ready", { port: 7700, url: "http://localhost" });
    expect(lines[0]).toMatch(/ INFO {2}brain\.ready port=7700 url=http:\/\/localhost\n$/);
  });

  test("holds one line per event in readable text, whatever a caller typed", () => {
    const { log, lines } = logged({ json: false });
    log.info("auth.login_failed", { email: "a@b\n2026-01-01 INFO forged\u001b[2J" });
    expect(lines[0]).toMatch(/ email="a@b\\n2026-01-01 INFO forged\\u001b\[2J"\n$/);
  });
});
