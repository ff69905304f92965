import { describe, expect, test } from "vitest";
import { commands } from "../commands.ts";
import { allCommands, type Command, type CommandEntry, type CommandTable, readOptions } from "./command.ts";
import { CliError } from "./exit-codes.ts";
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

  test("accepts --version for the version command", async () => {
    expect(await svc(["--version"])).toEqual(await svc(["version"]));
  });

  test.each([["help"], ["--help"], ["-h"]])("lists every command on stdout for %s", async (word) => {
    const { code, out } = await svc([word]);
    expect(code).toBe(0);
    for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, "m"));
  });

  test("exits with 2 and the list on stderr without a command", async () => {
    const { code, out, err } = await svc([]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("usage: svc <command>");
  });

  test.each([
    [["sevre"], 'svc: unknown command "sevre". Did you mean "svc serve"?\n'],
    [["migrate"], 'svc: unknown command "migrate". Run "svc help" for a list\n'],
    [["config", "shwo"], 'svc: unknown command "config shwo". Did you mean "svc config show"?\n'],
    [["config", "edit"], 'svc: unknown command "config edit". Run "svc help config" for a list\n'],
    [["help", "sevre"], 'svc: unknown command "sevre". Did you mean "svc serve"?\n'],
  ])("exits %j with 2 and a suggestion", async (args, message) => {
    expect(await svc(args)).toEqual({ code: 2, out: "", err: message });
  });

  test("exits with 2 and the commands of a group on stderr without a command", async () => {
    const { code, out, err } = await svc(["config"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^usage: svc config <command> \[options\]$/m);
    expect(err).toMatch(/^ {2}validate +\S/m);
  });

  test.each([[["help", "config"]], [["config", "--help"]]])("lists the commands of a group for %j", async (args) => {
    const { code, out } = await svc(args);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}show +\S/m);
  });

  test("prints usage and options of every command", async () => {
    for (const { words, entry } of allCommands(commands)) {
      const { code, out, err } = await svc(["help", ...words]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(`svc ${words.join(" ")}: ${entry.summary}`);
      const { options = {}, usage } = await entry.load();
      for (const line of usage) expect(line.startsWith(words.join(" "))).toBe(true);
      for (const name of Object.keys(options)) expect(out).toMatch(new RegExp(`^  --${name}( [A-Z]+)?   +\\S`, "m"));
    }
  });

  test.each([["--colour"], ["extra"]])("exits with 2 and the usage line for %s", async (word) => {
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

  test("exits with the code of the refusal and prints only its message", async () => {
    const refuse = entry("migrate", () => Promise.reject(new CliError("refused", "schedules are present")));
    expect(await svc(["migrate"], [refuse])).toEqual({ code: 6, out: "", err: "svc: schedules are present\n" });
  });

  test("exits with 1 for an unexpected error and prints its causes", async () => {
    const broken = entry("serve", () =>
      Promise.reject(new Error("cannot start", { cause: new Error("port 7700 is taken") })),
    );
    expect(await svc(["serve"], [broken])).toEqual({
      code: 1,
      out: "",
      err: "svc: cannot start\n  caused by: port 7700 is taken\n",
    });
  });
});

describe("readOptions", () => {
  test("returns values and positional words", () => {
    const { values, positionals } = readOptions(["bullmq", "--redis", "redis://h"], { redis: { type: "string" } }, 1);
    expect({ values: { ...values }, positionals }).toEqual({ values: { redis: "redis://h" }, positionals: ["bullmq"] });
  });

  test("refuses an option without its value", () => {
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

async function svc(args: readonly string[], table: CommandTable = commands) {
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
