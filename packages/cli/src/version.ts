import manifest from "../package.json" with { type: "json" };
import { defineCommand } from "./command-line/command.ts";
import { jsonOption } from "./command-line/option-values.ts";

export const version = defineCommand({
  usage: ["version [--json]"],
  options: jsonOption,
  async run({ values }, terminal) {
    const { schemaVersion } = await import("@svc/brain/storage");
    const facts = { version: manifest.version, runtime: `node ${process.versions.node}`, schema: schemaVersion() };
    terminal.out(
      values.json ? JSON.stringify(facts) : `svc ${facts.version} (${facts.runtime}, schema ${facts.schema})`,
    );
  },
});
