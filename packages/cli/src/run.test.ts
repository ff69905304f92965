import { describe, expect, test } from "vitest";
import type { Command, CommandEntry } from "./command.ts";
import { commands } from "./commands.ts";
import { CliError } from "./exit-codes.ts";
import { readOptions } from "./options.ts";
import { run } from "./run.ts";

describe("svc", () => {
  test("prints version, runtime and schema as one JSON document", async () => {
    const { code, out, err } = await svc(["version", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      runtime: `node ${process.versions.node}`,
      schema: expect.stringMatching(/^\d{4}_[a-z_-]+$/),
    });
    expect(err).toBe("");
  });

  test("takes --version for the version command", async () => {
    expect(await svc(["--version"])).toEqual(await svc(["version"]));
  });

  test.each([["help"], ["--help"], ["-h"]])("lists every command on stdout for %s", async (word) => {
    const { code, out } = await svc([word]);
    expect(code).toBe(0);
    for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, "m"));
  });

  test("ends with 2 and the list on stderr when no command is named", async () => {
    const { code, out, err } = await svc([]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("usage: svc <command>");
  });

  test("ends with 2 for an unknown command", async () => {
    const { code, err } = await svc(["sevre"]);
    expect(code).toBe(2);
    expect(err).toBe('svc: unknown command "sevre"; "svc help" lists them\n');
  });

  test.each([["--colour"], ["extra"]])("ends with 2 and the usage line for %s", async (word) => {
    const { code, err } = await svc(["version", word]);
    expect(code).toBe(2);
    expect(err).toMatch(/^svc: .+\nusage: svc version \[--json\]\n$/);
    expect(err).toContain(word);
  });

  test.each([[["help", "version"]], [["version", "--help"]], [["version", "-h"]]])(
    "explains one command for %j",
    async (args) => {
      const { code, out } = await svc(args);
      expect(code).toBe(0);
      expect(out).toContain("usage: svc version [--json]");
    },
  );
});

describe("run", () => {
  test("leaves --help after -- to the command", async () => {
    const { code, out } = await svc(
      ["say", "--", "--help"],
      [entry("say", async (args, terminal) => say(args, terminal))],
    );
    expect({ code, out }).toEqual({ code: 0, out: "--,--help\n" });
  });

  test("ends with the code of the refusal and its message alone", async () => {
    const refuse = entry("migrate", () => Promise.reject(new CliError("refused", "schedules are present")));
    expect(await svc(["migrate"], [refuse])).toEqual({ code: 6, out: "", err: "svc: schedules are present\n" });
  });

  test("ends with 1 for an unforeseen fault and tells its causes", async () => {
    const broken = entry("serve", () =>
      Promise.reject(new Error("cannot start", { cause: new Error("port 7700 is taken") })),
    );
    expect(await svc(["serve"], [broken])).toEqual({
      code: 1,
      out: "",
      err: "svc: cannot start\n  because: port 7700 is taken\n",
    });
  });
});

describe("readOptions", () => {
  test("gives values and positional words", () => {
    const { values, positionals } = readOptions(
      ["bullmq", "--redis", "redis://h"],
      { redis: { type: "string" } },
      { positionals: 1 },
    );
    expect({ values: { ...values }, positionals }).toEqual({ values: { redis: "redis://h" }, positionals: ["bullmq"] });
  });

  test("refuses an option without its value as wrong usage", () => {
    expect(() => readOptions(["--redis"], { redis: { type: "string" } })).toThrow(CliError);
  });
});

function entry(name: string, runIt: Command["run"]): CommandEntry {
  return { name, summary: "for a test", load: async () => ({ usage: [name], run: runIt }) };
}

async function say(args: readonly string[], terminal: { out(line: string): void }): Promise<number> {
  terminal.out(args.join(","));
  return 0;
}

async function svc(args: readonly string[], table = commands) {
  const written = { out: "", err: "" };
  const code = await run(args, table, {
    out: (line) => {
      written.out += `${line}\n`;
    },
    err: (line) => {
      written.err += `${line}\n`;
    },
  });
  return { code, ...written };
}
