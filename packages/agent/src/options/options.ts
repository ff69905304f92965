import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { isUuid, workerRoles } from "@svc/protocol";
import type { AgentLog, EngineAdapter } from "../adapter.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { brainEndpoints, type Endpoints } from "./endpoint.ts";

/** Options of `startAgent`. Their names are those of the SVC_ agent settings in camel case. */
export interface AgentOptions {
  /** Address of the brain: http, https, ws or wss. Required. Unencrypted to this machine only, see `devMode`. */
  readonly brainUrl: string;
  /** The agent token, shown once when the agent is created. Required. */
  readonly token: string;
  /** The secret shown with the token: base64url of at least 32 bytes. Required. */
  readonly hmacSecret: string;
  /** The engines to watch, at least one, with different names. */
  readonly engines: readonly EngineAdapter[];
  /** UUID of the project. If given, a brain that answers for another project is refused. A slug is accepted but not checked. */
  readonly projectId?: string | undefined;
  /** Label of this process, shown to operators. At most 64 characters. Default: none. */
  readonly agentName?: string | undefined;
  /** UUID of the agent. Required for `longpoll`. If given, a brain that answers for another agent is refused. */
  readonly agentId?: string | undefined;
  /** `ws` (default, synonym `auto`, without fallback) or `longpoll`. */
  readonly transport?: "auto" | "ws" | "longpoll" | undefined;
  /** Labels sent with hello, at most 32 of at most 64 characters. Default: empty. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Names of further schedulers, reported next to those of `engines`. At most 32. Default: none. */
  readonly schedulers?: readonly string[] | undefined;
  /** What this process is: web, task, scheduler, beat or other (default). */
  readonly workerRole?: "web" | "task" | "scheduler" | "beat" | "other" | undefined;
  /** The host framework, first part of the worker id. At most 40 characters. Default `node`. */
  readonly framework?: string | undefined;
  /** Seconds between heartbeats, 1 to 300. Default 10. Over WebSocket the brain's value takes precedence. */
  readonly heartbeatSeconds?: number | undefined;
  /** Directory of the buffer files. Default `$SVC_HOME/agent`, else `~/.svc/agent`. Created with mode 0700. */
  readonly bufferPath?: string | undefined;
  /**
   * Name of the buffer file inside `bufferPath`, 1 to 64 characters of `[A-Za-z0-9_-]`. Default: a digest of address and token.
   * Agents with the same name on one machine must watch the same engines, because they may inherit each other's positions. Set a name to
   * keep buffered events when the agent gets a new token.
   */
  readonly bufferName?: string | undefined;
  /** Maximum number of buffered frames, at least 1,000. Default 100,000. The oldest are evicted and counted. */
  readonly bufferMaxEvents?: number | undefined;
  /** Maximum bytes of buffered frames, at least 1 MiB. Default 256 MiB. The oldest are evicted and counted. */
  readonly bufferMaxBytes?: number | undefined;
  /** Maximum bytes of one string in event data, at least 128. Default 8192. */
  readonly maxPayloadBytes?: number | undefined;
  /** Default true. False disables all default rules, so only the extra patterns apply. */
  readonly redactionDefaultsEnabled?: boolean | undefined;
  /** Regular expressions for additional sensitive keys (full match, case-insensitive). Default: none. */
  readonly redactionExtraKeyPatterns?: readonly string[] | undefined;
  /** Regular expressions for additional sensitive values (a match replaces the string). Default: none. */
  readonly redactionExtraValuePatterns?: readonly string[] | undefined;
  /** Default false: errors are logged, never thrown. True: invalid options, failed adapters and invalid events throw. */
  readonly strictMode?: boolean | undefined;
  /** Default true. False: nothing happens until `agent.start()`. */
  readonly autostart?: boolean | undefined;
  /** Version of the watched application, added as `release` to task events without one. At most 64 characters. */
  readonly release?: string | undefined;
  /** Default false. True: no status frames. Heartbeats still carry the loss counters. */
  readonly agentStatusDisabled?: boolean | undefined;
  /** Default false. True allows unencrypted connections to any host. Never read from the environment. */
  readonly devMode?: boolean | undefined;
  /** Milliseconds that an event may wait to be batched, 1 to 1,000. Default 50. */
  readonly batchWindowMs?: number | undefined;
  /** Seconds that a poll waits for commands, 1 to 60. Default 30. */
  readonly pollWaitSeconds?: number | undefined;
  /** The logger. Default: JSON lines on standard error. Errors that it throws are ignored. */
  readonly log?: AgentLog | undefined;
  /** Replaced by tests. */
  readonly clock?: Clock | undefined;
  /** 0 (inclusive) to 1 (exclusive), for the reconnect jitter. Replaced by tests. */
  readonly random?: (() => number) | undefined;
}

/** Lists every invalid option, one text each, without secrets. */
export class AgentOptionsError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`invalid agent options: ${faults.join("; ")}`);
    this.name = "AgentOptionsError";
    this.faults = faults;
  }
}

const mebibyte = 1024 * 1024;
const ownScheduler = "svc-scheduler";
const transports = ["auto", "ws", "longpoll"];
const roles: readonly string[] = workerRoles;

/** Checked options with every default filled in. */
export type AgentSettings = ReturnType<typeof checkOptions>;

/** @throws AgentOptionsError listing every invalid option. */
export function checkOptions(options: AgentOptions) {
  const faults: string[] = [];
  const need = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  const numberIn = (name: keyof AgentOptions, fallback: number, lowest: number, highest: number): number => {
    const value = (options[name] as number | undefined) ?? fallback;
    need(
      Number.isInteger(value) && value >= lowest && value <= highest,
      `${name} must be an integer ${rangeText(lowest, highest)}`,
    );
    return value;
  };
  const textUpTo = (name: keyof AgentOptions, longest: number): string | undefined => {
    const value = options[name] as string | undefined;
    need(
      value === undefined || (typeof value === "string" && value.length > 0 && value.length <= longest),
      `${name} must be a text of 1 to ${longest} characters`,
    );
    return value;
  };

  const requested = options.transport ?? "auto";
  need(transports.includes(requested), `transport must be one of ${transports.join(", ")}`);
  const transport: "ws" | "longpoll" = requested === "longpoll" ? "longpoll" : "ws";
  let endpoints: Endpoints | undefined;
  try {
    endpoints = brainEndpoints(options.brainUrl ?? "", transport, options.devMode === true);
  } catch (error) {
    faults.push((error as Error).message);
  }

  need(
    typeof options.token === "string" && /^[\x21-\x7e]+$/.test(options.token.trim()),
    "token is missing or contains white space",
  );
  need(typeof options.hmacSecret === "string" && options.hmacSecret.trim() !== "", "hmacSecret is missing");
  need(options.agentId === undefined || isUuid(options.agentId), "agentId must be a UUID");
  need(transport !== "longpoll" || options.agentId !== undefined, "longpoll requires agentId");
  need(roles.includes(options.workerRole ?? "other"), `workerRole must be one of ${roles.join(", ")}`);
  need(
    /^[A-Za-z0-9_-]{1,64}$/.test(options.bufferName ?? "x"),
    "bufferName must be 1 to 64 characters of [A-Za-z0-9_-]",
  );
  const engines = options.engines ?? [];
  need(engines.length > 0 && engines.length <= 32, "engines must have 1 to 32 adapters");
  for (const { name } of engines) {
    need(
      /^[A-Za-z0-9_.-]{1,40}$/.test(name),
      `engine name ${JSON.stringify(name)} must be 1 to 40 characters of [A-Za-z0-9_.-]`,
    );
  }
  need(new Set(engines.map(({ name }) => name)).size === engines.length, "engine names must be unique");
  const mirrored = engines.flatMap(({ scheduler }) => scheduler?.name ?? []);
  for (const name of mirrored) {
    need(
      /^[A-Za-z0-9_.-]{1,64}$/.test(name),
      `scheduler name ${JSON.stringify(name)} must be 1 to 64 characters of [A-Za-z0-9_.-]`,
    );
  }
  need(new Set(mirrored).size === mirrored.length, "scheduler names must be unique");
  const schedulers = options.schedulers ?? [];
  need(
    ![...mirrored, ...schedulers].includes(ownScheduler),
    `${ownScheduler} is the scheduler of svc itself and cannot be the name of another one`,
  );
  need(
    schedulers.length <= 32 && schedulers.every((name) => name.length <= 40),
    "schedulers must have at most 32 names of at most 40 characters",
  );
  const tags = Object.entries(options.tags ?? {});
  need(
    tags.length <= 32 && tags.every((tag) => tag.every((part) => typeof part === "string" && part.length <= 64)),
    "tags must have at most 32 labels of at most 64 characters",
  );

  const destination = digestOf(options.brainUrl, options.token);
  const settings = {
    token: (options.token ?? "").trim(),
    /** Digest of address and token. */
    destination,
    hmacSecret: options.hmacSecret ?? "",
    engines,
    projectId: textUpTo("projectId", 200),
    agentName: textUpTo("agentName", 64),
    agentId: options.agentId?.toLowerCase(),
    transport,
    tags: options.tags ?? {},
    schedulers,
    workerRole: options.workerRole ?? "other",
    framework: textUpTo("framework", 40) ?? "node",
    heartbeatSeconds: numberIn("heartbeatSeconds", 10, 1, 300),
    bufferPath: options.bufferPath ?? join(process.env.SVC_HOME ?? join(homedir(), ".svc"), "agent"),
    bufferName: options.bufferName ?? destination,
    bufferMaxEntries: numberIn("bufferMaxEvents", 100_000, 1_000, Number.MAX_SAFE_INTEGER),
    bufferMaxBytes: numberIn("bufferMaxBytes", 256 * mebibyte, mebibyte, Number.MAX_SAFE_INTEGER),
    maxPayloadBytes: numberIn("maxPayloadBytes", 8192, 128, Number.MAX_SAFE_INTEGER),
    redactionDefaultsEnabled: options.redactionDefaultsEnabled ?? true,
    redactionExtraKeyPatterns: options.redactionExtraKeyPatterns ?? [],
    redactionExtraValuePatterns: options.redactionExtraValuePatterns ?? [],
    strictMode: options.strictMode ?? false,
    release: textUpTo("release", 64),
    agentStatusDisabled: options.agentStatusDisabled ?? false,
    batchWindowMs: numberIn("batchWindowMs", 50, 1, 1_000),
    pollWaitSeconds: numberIn("pollWaitSeconds", 30, 1, 60),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
  if (endpoints === undefined || faults.length > 0) throw new AgentOptionsError(faults);
  return { ...settings, endpoints };
}

function rangeText(lowest: number, highest: number): string {
  return highest === Number.MAX_SAFE_INTEGER ? `of at least ${lowest}` : `from ${lowest} to ${highest}`;
}

function digestOf(brainUrl: string, token: string): string {
  return createHash("sha256").update(`${brainUrl}\n${token}`).digest("hex").slice(0, 16);
}
