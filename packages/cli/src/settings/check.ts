import type { Finding, Thoroughness } from "@svc/brain/diagnosis";
import { type Command, defineCommand } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";

const codes = "Exits with 3 for invalid settings, 4 for an unreachable database, and 1 when anything else failed.";

const diagnosisCommand = (name: string, thoroughness: Thoroughness, details: readonly string[]): Command =>
  defineCommand({
    usage: [`${name} [--json]`],
    options: jsonOption,
    details,
    async run({ values }, terminal) {
      const { diagnose } = await import("@svc/brain/diagnosis");
      const { status, findings } = await diagnose(thoroughness);
      printResult(terminal, values, { status, findings }, linesOf(findings));
      return codeOf(findings);
    },
  });

export const check = diagnosisCommand("check", "start", [
  "Checks whether the service could start here: settings, database, migrations, and whether the secrets belong to the database.",
  `Changes nothing. ${codes}`,
]);

export const doctor = diagnosisCommand("doctor", "everything", [
  "Runs svc check and also checks agents, clocks, proxies, ports, disk space, the certificate of the public URL, and the mail server.",
  `Changes nothing and sends no mail. ${codes}`,
]);

function linesOf(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check: name }) => name.length));
  return findings.map(
    ({ status, check: name, message, advice }) =>
      `${status.padEnd(7)}  ${name.padEnd(width)}  ${message}${advice === null ? "" : `. ${capitalized(advice)}`}`,
  );
}

/** Leaves paths unchanged. */
const capitalized = (text: string): string =>
  text.replace(/^[a-z]+(?=[ ,:])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

function codeOf(findings: readonly Finding[]): number {
  const failed = new Set(findings.filter(({ status }) => status === "failed").map(({ check: name }) => name));
  if (failed.size === 0) return exitCodes.done;
  if (failed.has("settings")) return exitCodes.configuration;
  return failed.has("database") ? exitCodes.unreachable : exitCodes.failed;
}
