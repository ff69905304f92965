import manifest from "../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { readOptions } from "./options.ts";

export const version: Command = {
  usage: ["version [--json]"],
  details: ["--json   one JSON document"],
  async run(args, terminal) {
    const { values } = readOptions(args, { json: { type: "boolean" } });
    const facts = { version: manifest.version, runtime: `node ${process.versions.node}` };
    terminal.out(values.json ? JSON.stringify(facts) : `svc ${facts.version} (${facts.runtime})`);
    return exitCodes.done;
  },
};
