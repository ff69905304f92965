import type { Finding, Thoroughness } from "@svc/brain/diagnosis";
import type { Command, CommandOptions, Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";

const options = {
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

const codes =
  "Ends with 3 when the settings are not valid, with 4 when the database cannot be reached, with 1 when anything else failed.";

export const check: Command = {
  usage: ["check [--json]"],
  options,
  details: [
    "Looks whether the service could start here: settings, database, migrations, and whether the secrets are those of the database.",
    `Makes and changes nothing. ${codes}`,
  ],
  run: (args, terminal) => look(args, "start", terminal),
};

export const doctor: Command = {
  usage: ["doctor [--json]"],
  options,
  details: [
    "What svc check looks at, and agents, clocks, proxies, ports, disk space, the certificate of the public URL, and the mail server.",
    `Makes and changes nothing, and sends no mail. ${codes}`,
  ],
  run: (args, terminal) => look(args, "everything", terminal),
};

async function look(args: readonly string[], thoroughness: Thoroughness, terminal: Terminal): Promise<number> {
  const { values } = readOptions(args, options);
  const { diagnose } = await import("@svc/brain/diagnosis");
  const { status, findings } = await diagnose(thoroughness);
  if (values.json === true) terminal.out(JSON.stringify({ status, findings }));
  else for (const line of lines(findings)) terminal.out(line);
  return codeOf(findings);
}

function lines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check: name }) => name.length));
  return findings.map(
    ({ status, check: name, message, advice }) =>
      `${status.padEnd(7)}  ${name.padEnd(width)}  ${message}${advice === null ? "" : `; ${advice}`}`,
  );
}

function codeOf(findings: readonly Finding[]): number {
  const failed = new Set(findings.filter(({ status }) => status === "failed").map(({ check: name }) => name));
  if (failed.size === 0) return exitCodes.done;
  if (failed.has("settings")) return exitCodes.configuration;
  return failed.has("database") ? exitCodes.unreachable : exitCodes.failed;
}
