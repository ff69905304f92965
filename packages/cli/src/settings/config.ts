import { defineCommand, flag } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { explainBrainFault } from "./brain-faults.ts";

export const configShow = defineCommand({
  usage: ["config show [--reveal-secrets] [--json]"],
  options: { "reveal-secrets": flag("print secrets too"), ...jsonOption },
  details: [
    "Prints every setting as the service would use it here, with its source: environment, file or default.",
    "Masks secrets as *** unless --reveal-secrets is given. Creates nothing, so a secret that the first start would create is shown as unset.",
  ],
  async run({ values }, terminal) {
    const { loadBrainSettings } = await import("@svc/brain");
    try {
      const loaded = loadBrainSettings({ mint: false });
      for (const warning of loaded.warnings) terminal.err(`svc: ${warning}`);
      const settings = loaded
        .rows({ revealSecrets: values["reveal-secrets"] === true })
        .map(({ name, value, source, is_secret }) => ({ name, value, source, is_secret }));
      const lines = settings.map(({ name, value, source }) => `${name}=${shown(value)}  (${source})`);
      printResult(terminal, values, { settings }, lines);
    } catch (cause) {
      throw await explainBrainFault(cause, terminal);
    }
  },
});

const shown = (value: unknown): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export const configValidate = defineCommand({
  usage: ["config validate [--json]"],
  options: jsonOption,
  details: ["Lists every invalid setting and exits with 3 when there is one. Creates nothing."],
  async run({ values }, terminal) {
    const { faults, warnings } = await readFaults();
    const isValid = faults.length === 0;
    if (values.json !== true) for (const warning of warnings) terminal.err(`svc: ${warning}`);
    const lines = faults.map(({ name, source, message }) => `${name} (${source}) ${message}`);
    printResult(terminal, values, { valid: isValid, faults, warnings }, isValid ? ["the settings are valid"] : lines);
    return isValid ? exitCodes.done : exitCodes.configuration;
  },
});

async function readFaults() {
  const { loadBrainSettings, SettingsError } = await import("@svc/brain");
  try {
    return { faults: [], warnings: loadBrainSettings({ mint: false }).warnings };
  } catch (cause) {
    if (cause instanceof SettingsError) return { faults: cause.faults, warnings: [] };
    throw cause;
  }
}
