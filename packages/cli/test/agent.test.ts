import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@svc/testkit";
import { startPeer, waitFor } from "@svc/testkit/peer";
import { describe, expect, onTestFinished, test } from "vitest";
import { svc as runHere } from "./in-process.ts";
import { scratchFolder, startSvc } from "./svc-process.ts";

const credentials = { SVC_TOKEN: "a-token-of-a-test", SVC_HMAC_SECRET: randomBytes(32).toString("base64url") };

async function agent(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await scratchFolder();
  return { svc: startSvc(["agent", ...args], { cwd: home, env }), home };
}

describe("svc agent", () => {
  test("lists its engines", async () => {
    const { svc } = await agent(["--list"]);
    expect(await svc.ended).toBe(0);
    expect(svc.written.out).toMatch(/^bullmq +\S.+\ndemo +\S.+\n$/);
  });

  test("lists its engines as one JSON document", async () => {
    const { svc } = await agent(["--list", "--json"]);
    expect(await svc.ended).toBe(0);
    const summary = expect.any(String);
    expect(JSON.parse(svc.written.out)).toEqual({
      engines: [
        { name: "bullmq", summary },
        { name: "demo", summary },
      ],
    });
    expect(svc.written.err).toBe("");
  });

  const wrongUsage: [string, string[], Record<string, string>, RegExp][] = [
    ["no engine", [], {}, /^svc: missing engine\. Run svc agent --list to list them$/m],
    ["an unknown engine", ["celerity"], {}, /^svc: unknown engine "celerity"\. Run svc agent --list to list them$/m],
    ["the name of an object property", ["constructor"], {}, /^svc: unknown engine "constructor"/m],
    ["two engines", ["demo", "bullmq"], {}, /^svc: unexpected argument "bullmq"$/m],
    ["no Redis", ["bullmq"], credentials, /^svc: missing --redis redis:\/\/HOST:PORT, or SVC_REDIS_URL/m],
    ["an invalid address", ["bullmq", "--redis", "localhost:6379"], {}, /^svc: --redis must have the form redis:/m],
    ["an invalid start", ["bullmq", "--redis", "redis://h", "--start-at", "noon"], {}, /^svc: --start-at must be/m],
    ["--json without --list", ["demo", "--json"], credentials, /^svc: --json requires --list$/m],
    ["several engines in SVC_ENGINES", [], { SVC_ENGINES: "bullmq,demo" }, /^svc: svc agent watches one engine/m],
    ["an empty prefix", ["bullmq", "--redis", "redis://h", "--prefix", ""], {}, /^svc: prefixes must be /m],
  ];
  test.each(wrongUsage)("exits with 2 and the usage for %s", async (_, args, env, message) => {
    const { code, err } = await runHere(["agent", ...args], env);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).toContain("usage: svc agent [engine]");
  });

  test("refuses a password in --redis without printing it", async () => {
    const { svc } = await agent(["bullmq", "--redis", "redis://:opensesame@127.0.0.1:6379"]);
    expect(await svc.ended).toBe(2);
    expect(svc.written.err).toContain("SVC_REDIS_URL");
    expect(svc.written.err).not.toContain("opensesame");
  });

  test("exits with 3 and names everything that is missing", async () => {
    const { svc } = await agent(["demo"]);
    expect(await svc.ended).toBe(3);
    for (const name of ["SVC_BRAIN_URL", "SVC_TOKEN", "SVC_HMAC_SECRET"])
      expect(svc.written.err).toMatch(new RegExp(`missing .*${name}`));
  });

  const refused: [string, string[], Record<string, string>, RegExp][] = [
    ["an invalid secret", ["--brain", "http://localhost:1"], { SVC_HMAC_SECRET: "short" }, /HMAC secret/],
    ["plain http to another host", ["--brain", "http://example.org"], {}, /https/],
    ["an unknown transport", ["--brain", "http://localhost:1", "--transport", "pigeon"], {}, /transport/],
    ["a path as buffer name", ["--brain", "http://localhost:1", "--buffer-name", "../x"], {}, /bufferName/],
    [
      "an invalid number",
      ["--brain", "http://localhost:1"],
      { SVC_HEARTBEAT_SECONDS: "soon" },
      /SVC_HEARTBEAT_SECONDS/,
    ],
  ];
  test.each(refused)("exits with 3 and one line for %s", async (_, args, env, message) => {
    const { code, err } = await runHere(["agent", "demo", ...args], { ...credentials, ...env });
    expect(code).toBe(3);
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).not.toContain(credentials.SVC_TOKEN);
  });

  test("sends the events of its engine and exits with 0 on SIGTERM", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const env = { SVC_TOKEN: peer.identity.token, SVC_HMAC_SECRET: peer.hmacSecret };
    const { svc } = await agent(["demo", "--brain", peer.url, "--name", "till-1"], env);

    await svc.prints(/connected to the brain/);
    await waitFor(() => peer.record.events.some((event) => event.engine === "demo"));
    svc.child.kill("SIGTERM");

    expect(await svc.ended).toBe(0);
    expect(peer.record.hellos[0]).toMatchObject({ host: { name: "till-1" } });
    expect(svc.written.err).not.toContain(peer.identity.token);
  });

  test("reads SVC_HOME and ./.env, and starts although SVC_AUTOSTART is false", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const home = await scratchFolder();
    await mkdir(join(home, ".svc"));
    await writeFile(join(home, ".svc", "secret.env"), `SVC_HMAC_SECRET=${peer.hmacSecret}\nSVC_TOKEN=overruled\n`);
    await writeFile(join(home, ".svc", "config.env"), "SVC_ENGINES=demo\nSVC_AUTOSTART=false\nSVC_BIND_PORT=7701\n");
    await writeFile(join(home, ".env"), `OTHER=x\nSVC_TOKEN=${peer.identity.token}\nSVC_BRAIN_URL=${peer.url}\n`);

    const svc = startSvc(["agent"], { cwd: home });

    await svc.prints(/connected to the brain/);
    await waitFor(() => peer.record.events.some((event) => event.engine === "demo"));
    expect(await readdir(join(home, ".svc", "agent"))).not.toEqual([]);
  });

  test("exits with 3 for an invalid file and lists every fault without its value", async () => {
    const home = await scratchFolder();
    await writeFile(join(home, ".env"), "SVC_TOKENS=opensesame\nSVC_HMAC_SECRET\n");
    const svc = startSvc(["agent", "demo"], { cwd: home });
    expect(await svc.ended).toBe(3);
    expect(svc.written.err).toMatch(/SVC_TOKENS \(.*\.env\) is not a known setting/);
    expect(svc.written.err).toMatch(/line 2 \(.*\.env\) must be NAME=value/);
    expect(svc.written.err).not.toContain("opensesame");
  });

  test("uses a buffer of the given name", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const env = { SVC_TOKEN: peer.identity.token, SVC_HMAC_SECRET: peer.hmacSecret, SVC_BUFFER_NAME: "from-env" };
    // Its Redis is unreachable, so the engine has nothing to send.
    const redis = `redis://127.0.0.1:${await freePort()}`;
    for (const [args, name] of [
      [[], "from-env"],
      [["--buffer-name", "from-line"], "from-line"],
    ] as const) {
      const { svc, home } = await agent(["bullmq", "--redis", redis, "--brain", peer.url, ...args], env);
      await svc.prints(/connected to the brain/);
      const files = await readdir(join(home, ".svc", "agent"));
      expect(files.filter((file) => file.startsWith(name))).not.toEqual([]);
    }
  });

  test("logs once that Redis and the service are unreachable, without credentials, and keeps retrying", async () => {
    const [redisPort, brainPort] = [await freePort(), await freePort()];
    const { svc } = await agent(["bullmq", "--brain", `http://127.0.0.1:${brainPort}`], {
      ...credentials,
      SVC_REDIS_URL: `redis://:opensesame@127.0.0.1:${redisPort}`,
    });

    await svc.prints(/warn {2}redis connection failed, retrying .*ECONNREFUSED/);
    await svc.prints(
      /not connected to the brain, buffering events and retrying .*\n(.*\n)*.*not connected to the brain/,
    );

    expect(svc.child.exitCode).toBeNull();
    expect(svc.written.err).not.toMatch(/opensesame|a-token-of-a-test/);
    expect(svc.written.err.match(/connection=events/g)).toHaveLength(1);
    svc.child.kill("SIGINT");
    expect(await svc.ended).toBe(0);
  });
});
