import { describe, expect, test } from "vitest";
import { environmentLines, inProcessCode, redisUrlError, startCommand } from "./snippet.ts";

const sha256 = "5c".repeat(32);
const start = (changes: Partial<Parameters<typeof startCommand>[0]> = {}) =>
  startCommand({
    ...{ engine: "bullmq", secrets: { token: "t0ken", hmacSecret: "s3cret" }, sha256 },
    ...{ brainUrl: "https://svc.example.com", redisUrl: "redis://127.0.0.1:6379" },
    ...changes,
  }).split("\n");

describe("the command that starts an agent", () => {
  test("downloads the agent from this service, verifies its digest, and then runs it", () => {
    expect(start()).toEqual([
      "export SVC_TOKEN=t0ken",
      "export SVC_HMAC_SECRET=s3cret",
      "curl -fsSO https://svc.example.com/agent/svc-agent.mjs &&",
      `echo "${sha256}  svc-agent.mjs" | $(command -v sha256sum || echo shasum -a 256) -c &&`,
      "node svc-agent.mjs bullmq --redis redis://127.0.0.1:6379 --brain https://svc.example.com",
    ]);
  });

  test("puts a Redis URL with a password in the environment, never in an argument", () => {
    const lines = start({ redisUrl: "rediss://svc:open$esame@redis.example.com:6380/2" });
    expect(lines[2]).toBe("export SVC_REDIS_URL='rediss://svc:open$esame@redis.example.com:6380/2'");
    expect(lines.at(-1)).toBe("node svc-agent.mjs bullmq --brain https://svc.example.com");
    expect(start({ redisUrl: "redis://svc@redis.example.com" }).at(-1)).toContain("--redis redis://svc@redis");
  });

  test("quotes special characters of the shell", () => {
    expect(start({ redisUrl: " redis://h:6379/0?a=1&b='c' " }).at(-1)).toContain(
      `--redis 'redis://h:6379/0?a=1&b='\\''c'\\''' --brain`,
    );
  });

  test("allows plain HTTP if the service is reached without HTTPS from another machine", () => {
    expect(start({ brainUrl: "http://10.0.0.7:7700" }).at(-1)).toMatch(/ --dev$/);
    for (const brainUrl of ["http://localhost:7700", "http://[::1]:7700", "https://10.0.0.7"])
      expect(start({ brainUrl }).at(-1)).not.toContain("--dev");
  });

  test("has no Redis for an engine without it, and overwrites no secrets if it has none", () => {
    expect(start({ engine: "demo", secrets: null })).toEqual([
      ...start().slice(2, 4),
      "node svc-agent.mjs demo --brain https://svc.example.com",
    ]);
  });
});

test.each([
  ["redis://localhost", true],
  ["rediss://user:pass@[::1]:6379/3", true],
  [" redis://localhost:6379 ", true],
  ["", false],
  ["localhost:6379", false],
  ["redis:localhost", false],
  ["redis:///1", false],
  ["redis://local host", false],
  ["redis://h:99999", false],
  ["http://localhost:6379", false],
])("the Redis URL %j is accepted: %s", (url, isAccepted) => {
  expect(redisUrlError(url) === null).toBe(isAccepted);
});

test("an agent inside an application reads its secrets from the environment", () => {
  expect(environmentLines({ token: "t0ken", hmacSecret: "s3cret" })).toEqual([
    "export SVC_TOKEN=t0ken",
    "export SVC_HMAC_SECRET=s3cret",
  ]);
  expect(environmentLines(null)).toEqual(["export SVC_TOKEN=", "export SVC_HMAC_SECRET="]);
  const code = inProcessCode("http://localhost:7700");
  expect(code).toContain('brainUrl: "http://localhost:7700"');
  expect(code).toContain("token: process.env.SVC_TOKEN");
});
