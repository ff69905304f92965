import { join, resolve } from "node:path";
import { defineCommand, flag, text, texts } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption, wholeNumber } from "../command-line/option-values.ts";
import { readEnvironment } from "../settings/read-environment.ts";
import { printResult } from "../terminal/printed.ts";

export const mintSchedulerCert = defineCommand({
  usage: [
    "mint-scheduler-cert --name CN [--project SLUG]... [--out-dir FOLDER] [--validity-days N] [--replace] [--json]",
  ],
  options: {
    name: text("CN", "common name of the certificate, and base of the file names"),
    project: texts("SLUG", "prints the setting that limits the scheduler to this project. Repeatable"),
    "out-dir": text("FOLDER", "folder of the files and of the authority (default SVC_HOME/scheduler-pki)"),
    "validity-days": text("N", "days until the certificate expires (default 365)"),
    replace: flag("replace an existing certificate and key of this name, for example before they expire"),
    ...jsonOption,
  },
  details: [
    "Issues a certificate for a scheduler, or for the gRPC listener of the service when --name is the host name that schedulers connect to.",
    "Writes CN.pem and CN.key (mode 0600). Creates the certificate authority in ca.pem and ca.key when the folder has none; keep ca.key private.",
    "The service and each scheduler need their own certificate and key, and ca.pem. Overwrites nothing without --replace.",
  ],
  async run({ values }, terminal) {
    const { name, project: projects = [] } = values;
    if (name === undefined) throw new CliError("usage", "missing --name");
    for (const slug of projects)
      if (!slugForm.test(slug)) throw new CliError("usage", `"${slug}" is not a project slug`);
    const { MintRefused, maxValidityDays, mintCertificate } = await import("@svc/brain/scheduler-certificates");
    const limits = { min: 1, max: maxValidityDays };
    const validityDays = wholeNumber("validity-days", values["validity-days"] ?? "365", limits);
    const given = values["out-dir"];
    const folder = given === undefined ? join((await readEnvironment(terminal)).home, "scheduler-pki") : resolve(given);
    try {
      const minted = mintCertificate({
        folder,
        name,
        validityDays,
        replaces: values.replace === true,
        now: new Date(),
      });
      const binding = projects.length === 0 ? null : JSON.stringify({ [name]: projects });
      const document = {
        name,
        certificate: minted.certificatePath,
        key: minted.keyPath,
        authority: minted.authorityPath,
        is_new_authority: minted.isNewAuthority,
        expires_at: minted.expiresAt.toISOString(),
        projects,
      };
      printResult(terminal, values, document, [
        `certificate  ${minted.certificatePath}`,
        `key          ${minted.keyPath}`,
        `authority    ${minted.authorityPath}${minted.isNewAuthority ? " (new)" : ""}`,
        `expires      ${document.expires_at}`,
      ]);
      if (binding !== null && values.json !== true) {
        terminal.err(
          "Limit the scheduler to these projects in the settings of the service, together with other bindings:",
        );
        terminal.err(`SVC_SCHEDULER_GRPC_CN_PROJECT_BINDINGS=${binding}`);
      }
    } catch (cause) {
      if (cause instanceof MintRefused) throw refusalOf(cause);
      const { code } = cause as NodeJS.ErrnoException;
      if (code === undefined) throw cause;
      throw new CliError("failed", `cannot write to ${folder} (${code})`, { cause });
    }
  },
});

const slugForm = /^[a-z0-9][a-z0-9-]{0,62}$/;

function refusalOf(cause: Error & { reason: string }): CliError {
  if (cause.reason === "name") return new CliError("usage", `--name: ${cause.message}`, { cause });
  const advice: Readonly<Record<string, string>> = {
    exists: "Choose another --name or --out-dir, or use --replace",
    outlives_authority: "Choose fewer --validity-days, or another --out-dir for a new authority",
  };
  const more = advice[cause.reason];
  const message = more === undefined ? cause.message : `${cause.message}. ${more}`;
  return new CliError(cause.reason === "authority" ? "failed" : "refused", message, { cause });
}
