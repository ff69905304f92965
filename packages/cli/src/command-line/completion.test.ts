import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commands } from "../commands.ts";
import { run } from "./run.ts";

async function script(shell: string): Promise<string> {
  let out = "";
  const code = await run(["completion", shell], commands, {
    out: (line) => {
      out += `${line}\n`;
    },
    err: (line) => expect.unreachable(line),
  });
  expect(code).toBe(0);
  return out;
}

const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** Completions in bash for the last of these words. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const ask = `
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_svc
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc"], {
    input: `${await script("bash")}${ask}`,
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("svc completion", () => {
  test.runIf(has("bash")).each([
    [
      ["svc", "c"],
      ["commands", "changepassword", "check", "config", "completion"],
    ],
    [
      ["svc", "config", ""],
      ["show", "validate"],
    ],
    [
      ["svc", "config", "show", "--"],
      ["--reveal-secrets", "--json", "--help"],
    ],
    [["svc", "config", "show", "--json", "--r"], ["--reveal-secrets"]],
    [
      ["svc", "audit", "ver"],
      ["verify", "verify-anchor"],
    ],
    [["svc", "agent", "b"], ["bullmq"]],
    [["svc", "agent", "--list", "--j"], ["--json"]],
    [["svc", "serve", "--port", ""], []],
    [
      ["svc", "completion", ""],
      ["bash", "zsh", "fish", "--help"],
    ],
  ])("completes %j in bash to %j", async (words, offered) => {
    expect(await inBash(words)).toEqual(offered);
  });

  test.each(["bash", "zsh", "fish"])("prints a valid script for %s with every command and option", async (shell) => {
    const text = await script(shell);
    for (const word of ["bootstrap-admin", "rotate-chain-key", "reveal-secrets", "known-head"])
      expect(text).toContain(word);
    if (has(shell)) expect(spawnSync(shell, ["-n"], { input: text, encoding: "utf8" }).stderr).toBe("");
  });

  test.each([[[]], [["tcsh"]], [["constructor"]], [["bash", "zsh"]]])("exits with 2 for %j", async (args) => {
    const written: string[] = [];
    const code = await run(["completion", ...args], commands, {
      out: (line) => expect.unreachable(line),
      err: (line) => void written.push(line),
    });
    expect(code).toBe(2);
    expect(written.at(-1)).toBe("usage: svc completion bash|zsh|fish");
  });
});
