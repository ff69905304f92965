import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { explainBrainFault } from "./brain-faults.ts";

const showOptions = {
  "reveal-secrets": { type: "boolean", help: "print secrets too" },
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const configShow: Command = {
  usage: ["config show [--reveal-secrets] [--json]"],
  options: showOptions,
  details: [
    "Prints every setting as the service would start with it here and now, and where it comes from: environment, a file, or default.",
    "Secrets read *** unless asked for; other values are printed as they are. Makes nothing: a secret that the first start will make is unset.",
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, showOptions);
    const { loadBrainSettings } = await import("@svc/brain");
    try {
      const loaded = loadBrainSettings({ mint: false });
      for (const warning of loaded.warnings) terminal.err(`svc: ${warning}`);
      const settings = loaded
        .rows({ revealSecrets: values["reveal-secrets"] === true })
        .map(({ name, value, source, is_secret }) => ({ name, value, source, is_secret }));
      if (values.json === true) terminal.out(JSON.stringify({ settings }));
      else for (const { name, value, source } of settings) terminal.out(`${name}=${shown(value)}  (${source})`);
      return exitCodes.done;
    } catch (cause) {
      throw await explainBrainFault(cause, terminal);
    }
  },
};

const shown = (value: unknown): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

const validateOptions = {
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const configValidate: Command = {
  usage: ["config validate [--json]"],
  options: validateOptions,
  details: [
    "Ends with 3 when the service would refuse to start with these settings, after listing every fault. Makes nothing.",
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, validateOptions);
    const { faults, warnings } = await judge();
    if (values.json === true) {
      terminal.out(JSON.stringify({ valid: faults.length === 0, faults, warnings }));
    } else {
      for (const { name, source, message } of faults) terminal.out(`${name} (${source}) ${message}`);
      for (const warning of warnings) terminal.err(`svc: ${warning}`);
      if (faults.length === 0) terminal.out("the settings are valid");
    }
    return faults.length === 0 ? exitCodes.done : exitCodes.configuration;
  },
};

async function judge() {
  const { loadBrainSettings, SettingsError } = await import("@svc/brain");
  try {
    return { faults: [], warnings: loadBrainSettings({ mint: false }).warnings };
  } catch (cause) {
    if (cause instanceof SettingsError) return { faults: cause.faults, warnings: [] };
    throw cause;
  }
}
