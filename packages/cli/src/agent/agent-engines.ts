import type { EngineAdapter } from "@svc/agent";
import { type CommandOptions, type OptionValues, text, texts } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of the engines. Each engine reads its own. */
export const engineOptions = {
  redis: text("URL", "bullmq: the Redis server with the queues, redis:// or rediss:// (or SVC_REDIS_URL)"),
  prefix: texts("NAME", "bullmq: key prefix to watch, may be repeated (default bull)"),
  queue: texts("NAME", "bullmq: watch only this queue, may be repeated (default: all queues)"),
  "start-at": text("WHERE", "bullmq: where to start in new queues, beginning (default) or now"),
  namespace: text("NAME", "prefix for task ids and queue names, for two brokers of one engine in one project"),
} as const satisfies CommandOptions;
type EngineValues = OptionValues<typeof engineOptions>;

export interface KnownEngine {
  readonly summary: string;
  /** @throws CliError `usage` for invalid values. */
  create(values: EngineValues, env: Environment): Promise<EngineAdapter>;
  /** Identifies the watched broker without credentials, so that side-cars that share a token have separate buffers. */
  source(values: EngineValues, env: Environment): string;
}

/** The engines that `svc agent` can watch. Each loads its package on first use. */
export const engines: Readonly<Record<string, KnownEngine>> = {
  bullmq: {
    summary: "BullMQ 5 and 6 on Redis, without changes to the application",
    async create(values, env) {
      const { prefix: prefixes, queue: queues, namespace, "start-at": startAt } = values;
      const redis = redisUrl(values, env).href;
      if (startAt !== undefined && startAt !== "beginning" && startAt !== "now") {
        throw new CliError("usage", "--start-at must be beginning or now");
      }
      const { checkBullmqOptions, createBullmqAdapter } = await import("@svc/bullmq");
      const options: Parameters<typeof createBullmqAdapter>[0] = {
        redis,
        ...(prefixes !== undefined && { prefixes }),
        ...(queues !== undefined && { queues }),
        ...(namespace !== undefined && { namespace }),
        ...(startAt !== undefined && { startAt }),
      };
      asUsage(() => checkBullmqOptions(options));
      return createBullmqAdapter(options);
    },
    source(values, env) {
      const { hostname, port, pathname } = redisUrl(values, env);
      return [hostname, port, pathname, ...(values.prefix ?? []), values.namespace ?? ""].join(" ");
    },
  },
  demo: {
    summary: "a sample shop in memory, to try svc without an engine",
    async create() {
      const { createDemoAdapter } = await import("@svc/demo");
      return createDemoAdapter();
    },
    source: () => "",
  },
};

function redisUrl({ redis }: EngineValues, env: Environment): URL {
  const address = redis ?? env.SVC_REDIS_URL?.trim();
  if (address === undefined || address === "") {
    throw new CliError("usage", "missing --redis redis://HOST:PORT, or SVC_REDIS_URL in the environment");
  }
  const where = redis === undefined ? "SVC_REDIS_URL" : "--redis";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["redis:", "rediss:"].includes(url.protocol) || url.hostname === "") {
    throw new CliError("usage", `${where} must have the form redis://HOST:PORT or rediss://HOST:PORT`);
  }
  if (redis !== undefined && url.password !== "") {
    throw new CliError(
      "usage",
      "other users of this machine can read --redis. Set SVC_REDIS_URL for a URL with a password",
    );
  }
  return url;
}

/** Engines throw a TypeError that names the invalid option. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof TypeError) throw new CliError("usage", cause.message, { cause });
    throw cause;
  }
}
