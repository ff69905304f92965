import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { waitFor } from "../wait-for.ts";
import { type RedisServer, startRedis } from "./redis.ts";

/** Sends a command in Redis's inline form and returns the reply as text. */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${command}\r\n`);
  const [reply] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return reply.toString("utf8");
}

describe("a Redis for tests", () => {
  let server: RedisServer;

  afterEach(() => server.stop());

  test("listens on its own loopback port and evicts nothing", async () => {
    server = await startRedis();
    expect(new URL(server.url).port).toBe(String(server.port));
    expect(await ask(server.port, "CONFIG GET maxmemory-policy")).toContain("noeviction");
    expect(await ask(server.port, "CONFIG GET appendonly")).toContain("no");
  });

  test("is empty after a restart on the same port", async () => {
    server = await startRedis();
    await ask(server.port, "SET key value");
    await server.restart();
    expect(await ask(server.port, "GET key")).toBe("$-1\r\n");
  });

  test("has all data after a kill with keeps: everything", async () => {
    server = await startRedis({ keeps: "everything" });
    await ask(server.port, "SET key value");
    await server.kill();
    await expect(ask(server.port, "PING")).rejects.toThrow(/ECONNREFUSED/);
    await server.restart();
    expect(await ask(server.port, "GET key")).toContain("value");
  });

  test("leaves nothing behind", async () => {
    server = await startRedis();
    const folder = (await ask(server.port, "CONFIG GET dir")).split("\r\n").find((line) => line.startsWith("/"));
    await server.stop();
    await expect(access(String(folder))).rejects.toThrow(/ENOENT/);
  });

  test("ends with its process, even when that is killed", async () => {
    server = await startRedis();
    const program = `const { startRedis } = await import(${JSON.stringify(new URL("./redis.ts", import.meta.url).href)});
      console.log((await startRedis()).port); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = (await once(owner.stdout, "data")) as [Buffer];
    expect(await ask(Number(port), "PING")).toBe("+PONG\r\n");
    owner.kill("SIGKILL");
    await waitFor(async () => {
      await expect(ask(Number(port), "PING")).rejects.toThrow();
      return true;
    });
  });
});
