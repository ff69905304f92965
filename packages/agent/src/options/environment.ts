import { type AgentOptions, AgentOptionsError } from "./options.ts";

/** Options from the environment. The caller adds the adapters. */
export interface EnvironmentOptions extends Omit<Partial<AgentOptions>, "engines"> {
  /** SVC_ENGINES: names of the adapters to attach. The launcher creates them. */
  readonly engineNames?: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const yes = new Set(["1", "true", "yes", "on"]);
const no = new Set(["0", "false", "no", "off"]);

/**
 * Options from the SVC_ agent variables. Absent and empty ones are left out, so defaults apply. Lists are JSON arrays or comma-separated,
 * TAGS is a JSON object or a comma-separated list of `name=value`, booleans are 1/true/yes/on or 0/false/no/off.
 *
 * @throws AgentOptionsError naming every invalid variable, without its value. Ranges are checked later.
 */
export function agentOptionsFromEnv(env: Environment): EnvironmentOptions {
  const faults: string[] = [];
  const read = <T>(name: string, kind: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = env[`SVC_${name}`]?.trim();
    if (text === undefined || text === "") return undefined;
    const value = parse(text);
    if (value === undefined) faults.push(`SVC_${name} must be ${kind}`);
    return value;
  };
  const text = (name: string) => read(name, "a text", (given) => given);
  const integer = (name: string) => read(name, "an integer", readInteger);
  const flag = (name: string) => read(name, "a boolean", readFlag);
  const list = (name: string) => read(name, "a list", readList);

  const found = {
    brainUrl: text("BRAIN_URL"),
    token: text("TOKEN"),
    hmacSecret: text("HMAC_SECRET"),
    projectId: text("PROJECT_ID"),
    agentName: text("AGENT_NAME"),
    agentId: text("AGENT_ID"),
    transport: text("TRANSPORT") as AgentOptions["transport"],
    tags: read("TAGS", "a JSON object or a list of name=value", readTags),
    engineNames: list("ENGINES"),
    schedulers: list("SCHEDULERS"),
    workerRole: text("WORKER_ROLE") as AgentOptions["workerRole"],
    heartbeatSeconds: integer("HEARTBEAT_SECONDS"),
    bufferPath: text("BUFFER_PATH"),
    bufferName: text("BUFFER_NAME"),
    bufferMaxEvents: integer("BUFFER_MAX_EVENTS"),
    bufferMaxBytes: integer("BUFFER_MAX_BYTES"),
    maxPayloadBytes: integer("MAX_PAYLOAD_BYTES"),
    redactionDefaultsEnabled: flag("REDACTION_DEFAULTS_ENABLED"),
    redactionExtraKeyPatterns: list("REDACTION_EXTRA_KEY_PATTERNS"),
    redactionExtraValuePatterns: list("REDACTION_EXTRA_VALUE_PATTERNS"),
    strictMode: flag("STRICT_MODE"),
    autostart: flag("AUTOSTART"),
    release: text("RELEASE"),
    agentStatusDisabled: flag("AGENT_STATUS_DISABLED"),
  };
  if (faults.length > 0) throw new AgentOptionsError(faults);
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function readInteger(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function readFlag(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return yes.has(word) ? true : no.has(word) ? false : undefined;
}

function readList(text: string): string[] | undefined {
  if (!text.startsWith("[")) {
    return text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  const value = readJson(text);
  return Array.isArray(value) && value.every((part) => typeof part === "string") ? value : undefined;
}

function readTags(text: string): Record<string, string> | undefined {
  if (text.startsWith("{")) {
    const value = readJson(text);
    const isFlat =
      typeof value === "object" && value !== null && Object.values(value).every((part) => typeof part === "string");
    return isFlat ? (value as Record<string, string>) : undefined;
  }
  const pairs = (readList(text) ?? []).map((part) => [part, part.indexOf("=")] as const);
  if (pairs.some(([, at]) => at < 1)) return undefined;
  return Object.fromEntries(pairs.map(([part, at]) => [part.slice(0, at).trim(), part.slice(at + 1).trim()]));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
