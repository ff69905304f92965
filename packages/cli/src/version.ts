import manifest from "../package.json" with { type: "json" };
import type { Command, CommandOptions } from "./command-line/command.ts";
import { exitCodes } from "./command-line/exit-codes.ts";
import { readOptions } from "./command-line/options.ts";

const options = {
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const version: Command = {
  usage: ["version [--json]"],
  options,
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    const { schemaVersion } = await import("@svc/brain/storage");
    const facts = { version: manifest.version, runtime: `node ${process.versions.node}`, schema: schemaVersion() };
    terminal.out(
      values.json ? JSON.stringify(facts) : `svc ${facts.version} (${facts.runtime}, schema ${facts.schema})`,
    );
    return exitCodes.done;
  },
};
