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
    ["no engine", [], {}, /^svc: name an engine; svc agent --list shows them$/m],
    ["an unknown engine", ["celerity"], {}, /^svc: unknown engine "celerity"; svc agent --list shows them$/m],
    ["an engine that every object has", ["constructor"], {}, /^svc: unknown engine "constructor"/m],
    ["two engines", ["demo", "bullmq"], {}, /^svc: unexpected argument "bullmq"$/m],
    [
      "no Redis",
      ["bullmq"],
      credentials,
      /^svc: svc agent bullmq needs --redis redis:\/\/HOST:PORT, or SVC_REDIS_URL/m,
    ],
    [
      "an address that is none",
      ["bullmq", "--redis", "localhost:6379"],
      {},
      /^svc: --redis is not of the form redis:/m,
    ],
    [
      "another word for the start",
      ["bullmq", "--redis", "redis://h", "--start-at", "noon"],
      {},
      /^svc: --start-at is/m,
    ],
    ["JSON of what is no list", ["demo", "--json"], credentials, /^svc: --json belongs to --list$/m],
    ["several engines in SVC_ENGINES", [], { SVC_ENGINES: "bullmq,demo" }, /^svc: one svc agent watches one engine/m],
    ["an empty prefix", ["bullmq", "--redis", "redis://h", "--prefix", ""], {}, /^svc: prefixes: /m],
  ];
  test.each(wrongUsage)("ends with 2 and the usage for %s", async (_, args, env, words) => {
    const { code, err } = await runHere(["agent", ...args], env);
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(err).toContain("usage: svc agent [engine]");
  });

  test("takes no password in --redis and does not repeat it", async () => {
    const { svc } = await agent(["bullmq", "--redis", "redis://:opensesame@127.0.0.1:6379"]);
    expect(await svc.ended).toBe(2);
    expect(svc.written.err).toContain("SVC_REDIS_URL");
    expect(svc.written.err).not.toContain("opensesame");
  });

  test("ends with 3 and names everything that is missing", async () => {
    const { svc } = await agent(["demo"]);
    expect(await svc.ended).toBe(3);
    for (const name of ["SVC_BRAIN_URL", "SVC_TOKEN", "SVC_HMAC_SECRET"])
      expect(svc.written.err).toMatch(new RegExp(`${name}.* is missing|is missing: .*${name}`));
  });

  const refused: [string, string[], Record<string, string>, RegExp][] = [
    ["a secret that is none", ["--brain", "http://localhost:1"], { SVC_HMAC_SECRET: "short" }, /HMAC secret/],
    ["plain http to another host", ["--brain", "http://example.org"], {}, /https/],
    ["an unknown transport", ["--brain", "http://localhost:1", "--transport", "pigeon"], {}, /transport/],
    ["a path as buffer name", ["--brain", "http://localhost:1", "--buffer-name", "../x"], {}, /bufferName/],
    [
      "a number that is none",
      ["--brain", "http://localhost:1"],
      { SVC_HEARTBEAT_SECONDS: "soon" },
      /SVC_HEARTBEAT_SECONDS/,
    ],
  ];
  test.each(refused)("ends with 3 for %s, told once", async (_, args, env, words) => {
    const { code, err } = await runHere(["agent", "demo", ...args], { ...credentials, ...env });
    expect(code).toBe(3);
    expect(err).toMatch(words);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).not.toContain(credentials.SVC_TOKEN);
  });

  test("sends the events of its engine, and ends with 0 at SIGTERM", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const env = { SVC_TOKEN: peer.identity.token, SVC_HMAC_SECRET: peer.hmacSecret };
    const { svc } = await agent(["demo", "--brain", peer.url, "--name", "till-1"], env);

    await svc.says(/connected to the brain/);
    await waitFor(() => peer.record.events.some((event) => event.engine === "demo"));
    svc.child.kill("SIGTERM");

    expect(await svc.ended).toBe(0);
    expect(peer.record.hellos[0]).toMatchObject({ host: { name: "till-1" } });
    expect(svc.written.err).not.toContain(peer.identity.token);
  });

  test("reads what is written in SVC_HOME and ./.env, and starts although SVC_AUTOSTART is false", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const home = await scratchFolder();
    await mkdir(join(home, ".svc"));
    await writeFile(join(home, ".svc", "secret.env"), `SVC_HMAC_SECRET=${peer.hmacSecret}\nSVC_TOKEN=overruled\n`);
    await writeFile(join(home, ".svc", "config.env"), "SVC_ENGINES=demo\nSVC_AUTOSTART=false\nSVC_BIND_PORT=7701\n");
    await writeFile(join(home, ".env"), `OTHER=x\nSVC_TOKEN=${peer.identity.token}\nSVC_BRAIN_URL=${peer.url}\n`);

    const svc = startSvc(["agent"], { cwd: home });

    await svc.says(/connected to the brain/);
    await waitFor(() => peer.record.events.some((event) => event.engine === "demo"));
    expect(await readdir(join(home, ".svc", "agent"))).not.toEqual([]);
  });

  test("ends with 3 for a file with faults and names them all, without a value", async () => {
    const home = await scratchFolder();
    await writeFile(join(home, ".env"), "SVC_TOKENS=opensesame\nSVC_HMAC_SECRET\n");
    const svc = startSvc(["agent", "demo"], { cwd: home });
    expect(await svc.ended).toBe(3);
    expect(svc.written.err).toMatch(/SVC_TOKENS \(.*\.env\) is not a known setting/);
    expect(svc.written.err).toMatch(/line 2 \(.*\.env\) is not NAME=value/);
    expect(svc.written.err).not.toContain("opensesame");
  });

  test("keeps a buffer of the given name", async () => {
    const peer = await startPeer();
    onTestFinished(() => peer.stop());
    const env = { SVC_TOKEN: peer.identity.token, SVC_HMAC_SECRET: peer.hmacSecret, SVC_BUFFER_NAME: "from-env" };
    // An engine that has nothing to send: its Redis does not answer.
    const redis = `redis://127.0.0.1:${await freePort()}`;
    for (const [args, name] of [
      [[], "from-env"],
      [["--buffer-name", "from-line"], "from-line"],
    ] as const) {
      const { svc, home } = await agent(["bullmq", "--redis", redis, "--brain", peer.url, ...args], env);
      await svc.says(/connected to the brain/);
      const files = await readdir(join(home, ".svc", "agent"));
      expect(files.filter((file) => file.startsWith(name))).not.toEqual([]);
    }
  });

  test("says that Redis and the brain do not answer, once each and without credentials, and goes on trying", async () => {
    const [redisPort, brainPort] = [await freePort(), await freePort()];
    const { svc } = await agent(["bullmq", "--brain", `http://127.0.0.1:${brainPort}`], {
      ...credentials,
      SVC_REDIS_URL: `redis://:opensesame@127.0.0.1:${redisPort}`,
    });

    await svc.says(/warn {2}redis connection failed, trying again .*ECONNREFUSED/);
    await svc.says(/not connected to the brain, buffering events and retrying .*\n(.*\n)*.*not connected to the brain/);

    expect(svc.child.exitCode).toBeNull();
    expect(svc.written.err).not.toMatch(/opensesame|a-token-of-a-test/);
    expect(svc.written.err.match(/connection=events/g)).toHaveLength(1);
    svc.child.kill("SIGINT");
    expect(await svc.ended).toBe(0);
  });
});
