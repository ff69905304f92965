import { spawnSync } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { builtAgentFile, builtProgram, plainEnvironment } from "@svc/testkit/built-program";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "./svc-process.ts";

const redis = ["--redis", "redis://localhost:6379"];
const given: [string, string[]][] = [
  ["help", ["--help"]],
  ["the list of engines", ["--list", "--json"]],
  ["an unknown option", ["bullmq", "--quues", "mail"]],
  ["an unknown engine", ["celerity"]],
  ["a password in an argument", ["bullmq", "--redis", "redis://:opensesame@localhost:6379"]],
  ["missing settings", ["bullmq", ...redis]],
];

describe("the agent file outside of the repository works like `svc agent`", () => {
  test.each(given)("for %s", async (_, args) => {
    const folder = await scratchFolder();
    const file = join(folder, "svc-agent.mjs");
    await copyFile(builtAgentFile, file);
    const ran = (program: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
        ...{ cwd: folder, encoding: "utf8" as const },
        env: { ...plainEnvironment, HOME: folder },
      });
      return { status, stdout, stderr };
    };

    const expected = ran([builtProgram, "agent"]);
    expect(expected.stdout + expected.stderr).not.toBe("");
    expect(ran([file])).toEqual(expected);
  });
});
