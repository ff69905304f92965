import { randomBytes } from "node:crypto";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { describe, expect, test } from "vitest";
import { agentOptionsFromEnv } from "./environment.ts";
import { type AgentOptions, AgentOptionsError, checkOptions } from "./options.ts";

const secret = randomBytes(32).toString("base64url");

function optionsWith(options: Partial<AgentOptions> = {}): AgentOptions {
  const engines = [createScriptedAdapter()];
  return { brainUrl: "http://localhost:7700", token: "tok", hmacSecret: secret, engines, ...options };
}

function scheduled(engine: string, name: string) {
  return Object.assign(createScriptedAdapter(engine), { scheduler: { name, capabilities: () => [] } });
}

function faultsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof AgentOptionsError) return error.faults;
    throw error;
  }
  return [];
}

describe("options", () => {
  test("have the defaults of the settings table", () => {
    expect(checkOptions(optionsWith())).toMatchObject({
      transport: "ws",
      workerRole: "other",
      framework: "node",
      heartbeatSeconds: 10,
      bufferMaxEntries: 100_000,
      bufferMaxBytes: 268_435_456,
      maxPayloadBytes: 8_192,
      redactionDefaultsEnabled: true,
      strictMode: false,
      agentStatusDisabled: false,
    });
  });

  const adapter = createScriptedAdapter();
  const cases: [string, Partial<AgentOptions>, RegExp][] = [
    ["no token", { token: "" }, /token is missing/],
    ["no secret", { hmacSecret: "" }, /hmacSecret is missing/],
    ["no engine", { engines: [] }, /engines must have/],
    ["two engines of one name", { engines: [adapter, adapter] }, /engine names must be unique/],
    ["an engine name with a blank", { engines: [createScriptedAdapter("a b")] }, /engine name/],
    ["svc's own scheduler", { schedulers: ["svc-scheduler"] }, /svc-scheduler is the scheduler of svc itself/],
    [
      "two schedulers of one name",
      { engines: [scheduled("one", "s"), scheduled("two", "s")] },
      /scheduler names must be/,
    ],
    ["a scheduler name with a blank", { engines: [scheduled("one", "a b")] }, /scheduler name "a b" must be/],
    ["another transport", { transport: "udp" as "ws" }, /transport/],
    ["longpoll without agentId", { transport: "longpoll", devMode: true }, /longpoll requires agentId/],
    ["an agentId that is no UUID", { agentId: "7" }, /agentId must be a UUID/],
    ["a heartbeat of 0 s", { heartbeatSeconds: 0 }, /heartbeatSeconds/],
    ["a heartbeat of 301 s", { heartbeatSeconds: 301 }, /heartbeatSeconds/],
    ["a heartbeat of 1.5 s", { heartbeatSeconds: 1.5 }, /heartbeatSeconds/],
    ["a buffer of 999 entries", { bufferMaxEvents: 999 }, /bufferMaxEvents/],
    ["a buffer under 1 MiB", { bufferMaxBytes: 1_048_575 }, /bufferMaxBytes/],
    ["strings of 127 bytes", { maxPayloadBytes: 127 }, /maxPayloadBytes/],
    ["a long name", { agentName: "x".repeat(65) }, /agentName/],
    ["a path as buffer name", { bufferName: "../x" }, /bufferName/],
    ["another role", { workerRole: "king" as "web" }, /workerRole/],
  ];
  test.each(cases)("with %s are refused", (_, options, fault) => {
    expect(faultsOf(() => checkOptions(optionsWith(options))).join()).toMatch(fault);
  });

  test("list every invalid option, without secrets", () => {
    const faults = faultsOf(() => checkOptions(optionsWith({ token: "tok en", heartbeatSeconds: 0, brainUrl: "x" })));

    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain("tok en");
  });

  test("give two agents of different tokens different buffer files", () => {
    const names = ["a", "b", "a"].map((token) => checkOptions(optionsWith({ token })).bufferName);
    expect(names[0]).toBe(names[2]);
    expect(names[0]).not.toBe(names[1]);
  });
});

describe("the environment", () => {
  test("reads all set variables in the types of the options", () => {
    expect(
      agentOptionsFromEnv({
        SVC_BRAIN_URL: "http://localhost:7700",
        SVC_TOKEN: "tok",
        SVC_HMAC_SECRET: secret,
        SVC_TRANSPORT: "longpoll",
        SVC_TAGS: "team=mail,zone=a=b",
        SVC_ENGINES: '["bullmq"]',
        SVC_SCHEDULERS: "cron, beat",
        SVC_HEARTBEAT_SECONDS: "30",
        SVC_STRICT_MODE: "Yes",
        SVC_AUTOSTART: "off",
        SVC_RELEASE: "",
        OTHER: "1",
      }),
    ).toEqual({
      brainUrl: "http://localhost:7700",
      token: "tok",
      hmacSecret: secret,
      transport: "longpoll",
      tags: { team: "mail", zone: "a=b" },
      engineNames: ["bullmq"],
      schedulers: ["cron", "beat"],
      heartbeatSeconds: 30,
      strictMode: true,
      autostart: false,
    });
  });

  test("reads tags as JSON too", () => {
    expect(agentOptionsFromEnv({ SVC_TAGS: '{"team":"mail"}' }).tags).toEqual({ team: "mail" });
  });

  test("lists every invalid variable, without its value", () => {
    const faults = faultsOf(() =>
      agentOptionsFromEnv({
        SVC_HEARTBEAT_SECONDS: "soon",
        SVC_STRICT_MODE: "perhaps",
        SVC_ENGINES: "[1]",
        SVC_TAGS: "x",
      }),
    );

    expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
      "SVC_TAGS",
      "SVC_ENGINES",
      "SVC_HEARTBEAT_SECONDS",
      "SVC_STRICT_MODE",
    ]);
    expect(faults.join()).not.toMatch(/soon|perhaps/);
  });
});
