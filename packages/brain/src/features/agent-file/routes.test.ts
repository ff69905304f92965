import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../platform/log.ts";
import { createAgentFile } from "./agent-file.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startTestBrain();
});
afterAll(() => brain?.stop());

const file = "/agent/svc-agent.mjs";
const get = (path: string, init: RequestInit = {}) => fetch(brain.url + path, init);

describe("the agent file", () => {
  test("is served to anyone, as a module, with the digest and size in its manifest", async () => {
    const [answer, stated] = await Promise.all([get(file), get("/agent/manifest.json")]);
    const content = Buffer.from(await answer.arrayBuffer());
    const manifest = await stated.json();

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(manifest).toEqual({
      version: "0.1.0",
      sha256: createHash("sha256").update(content).digest("hex"),
      bytes: content.byteLength,
      node: ">=22.16",
    });
    expect(stated.headers.get("cache-control")).toBe("no-cache");
  });

  test("is revalidated by its ETag, and cached for a year under the served version", async () => {
    const answer = await get(file);
    const etag = answer.headers.get("etag") ?? "";
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect((await get(`${file}?version=0.0.1`)).headers.get("cache-control")).toBe("no-cache");
    expect((await get(`${file}?version=0.1.0`)).headers.get("cache-control")).toContain("immutable");

    const known = await get(file, { headers: { "if-none-match": etag } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  test("answers HEAD with its size and no body, and other methods with 405", async () => {
    const bytes = (await (await get(file)).arrayBuffer()).byteLength;
    const head = await get(file, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(bytes), ""]);
    expect((await get(file, { method: "POST" })).status).toBe(405);
  });

  test("has no page of the dashboard next to it", async () => {
    expect((await get("/agent/svc-agent.js")).status).toBe(404);
  });
});

describe("a service without a build of it", () => {
  const logged: string[] = [];
  const agentFile = createAgentFile({
    log: createLog({ level: "warn", json: true, write: (line) => logged.push(line) }),
  });

  test("answers 404 and logs at start how to build it", async () => {
    await agentFile.load(null);
    expect(() => agentFile.current()).toThrow(expect.objectContaining({ status: 404 }));
    expect(logged.join()).toContain("agent_file.not_built");
  });

  test("serves no file that differs from its manifest", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-agent-file-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, "agent"));
    await writeFile(join(folder, "agent/svc-agent.mjs"), "process.exit();");
    await writeFile(join(folder, "agent/manifest.json"), JSON.stringify({ sha256: "0".repeat(64) }));

    await agentFile.load(folder);
    expect(() => agentFile.current()).toThrow(expect.objectContaining({ status: 404 }));
    expect(logged.join()).toContain("agent_file.damaged");
  });
});
