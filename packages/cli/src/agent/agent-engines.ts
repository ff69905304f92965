import type { EngineAdapter } from "@svc/agent";
import { type CommandOptions, type OptionValues, text, texts } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line may say about an engine; each engine takes what it knows. */
export const engineOptions = {
  redis: text("URL", "bullmq: the Redis server with the queues, redis:// or rediss:// (or SVC_REDIS_URL)"),
  prefix: texts("NAME", "bullmq: key prefix to watch, may be repeated (default bull)"),
  queue: texts("NAME", "bullmq: watch only this queue, may be repeated (default: all that are found)"),
  "start-at": text("WHERE", "bullmq: beginning (default) or now, for queues never read before"),
  namespace: text("NAME", "put in front of task ids, for two brokers of one engine in one project"),
} as const satisfies CommandOptions;
type EngineWords = OptionValues<typeof engineOptions>;

export interface KnownEngine {
  readonly summary: string;
  /** @throws CliError `usage` for what cannot be meant. */
  create(words: EngineWords, env: Environment): Promise<EngineAdapter>;
  /** Names what is watched, without credentials, so that side-cars with one token keep buffers of their own. */
  source(words: EngineWords, env: Environment): string;
}

/** The engines that `svc agent` can watch; each loads its package when it is used. */
export const engines: Readonly<Record<string, KnownEngine>> = {
  bullmq: {
    summary: "BullMQ 5 and 6 on Redis, from outside: no change to the application",
    async create(words, env) {
      const { prefix: prefixes, queue: queues, namespace, "start-at": startAt } = words;
      const redis = redisUrl(words, env).href;
      if (startAt !== undefined && startAt !== "beginning" && startAt !== "now") {
        throw new CliError("usage", "--start-at is beginning or now");
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
    source(words, env) {
      const { hostname, port, pathname } = redisUrl(words, env);
      return [hostname, port, pathname, ...(words.prefix ?? []), words.namespace ?? ""].join(" ");
    },
  },
  demo: {
    summary: "a sample shop that lives in memory, to try svc without any engine",
    async create() {
      const { createDemoAdapter } = await import("@svc/demo");
      return createDemoAdapter();
    },
    source: () => "",
  },
};

function redisUrl({ redis }: EngineWords, env: Environment): URL {
  const address = redis ?? env.SVC_REDIS_URL?.trim();
  if (address === undefined || address === "") {
    throw new CliError(
      "usage",
      "svc agent bullmq needs --redis redis://HOST:PORT, or SVC_REDIS_URL in the environment",
    );
  }
  const where = redis === undefined ? "SVC_REDIS_URL" : "--redis";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["redis:", "rediss:"].includes(url.protocol) || url.hostname === "") {
    throw new CliError("usage", `${where} is not of the form redis://HOST:PORT or rediss://HOST:PORT`);
  }
  if (redis !== undefined && url.password !== "") {
    throw new CliError(
      "usage",
      "every user of this machine can read --redis; give a URL with a password in SVC_REDIS_URL",
    );
  }
  return url;
}

/** Engines name an option that is out of its bounds by a TypeError. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof TypeError) throw new CliError("usage", cause.message, { cause });
    throw cause;
  }
}
