import { createHash } from "node:crypto";
import { type Agent, type AgentLog, agentOptionsFromEnv, type EngineAdapter, startAgent } from "@svc/agent";
import type { Command, Terminal } from "./command.ts";
import { CliError, exitCodes } from "./exit-codes.ts";
import { readOptions } from "./options.ts";
import { untilStopped } from "./signals.ts";

interface EngineOptions {
  readonly redis?: string | undefined;
  readonly prefix?: string[] | undefined;
  readonly queue?: string[] | undefined;
  readonly namespace?: string | undefined;
  readonly startAt?: string | undefined;
}

interface KnownEngine {
  readonly summary: string;
  create(options: EngineOptions): Promise<EngineAdapter>;
  /** Names what is watched, so that side-cars with one token keep apart buffers; no credentials. */
  source(options: EngineOptions): string;
}

/** The engines that `svc agent` can watch; each loads its package when it is used. */
const engines: Readonly<Record<string, KnownEngine>> = {
  bullmq: {
    summary: "BullMQ 5 and 6 on Redis, from outside: no change to the application",
    async create({ redis, prefix, queue, namespace, startAt }) {
      if (redis === undefined) throw new CliError("usage", "svc agent bullmq needs --redis redis://HOST:PORT");
      if (startAt !== undefined && startAt !== "beginning" && startAt !== "now") {
        throw new CliError("usage", "--start-at is beginning or now");
      }
      const { createBullmqAdapter } = await import("@svc/bullmq");
      return createBullmqAdapter({
        redis,
        ...(prefix !== undefined && { prefixes: prefix }),
        ...(queue !== undefined && { queues: queue }),
        ...(namespace !== undefined && { namespace }),
        ...(startAt !== undefined && { startAt }),
      });
    },
    source({ redis = "", prefix = [], namespace = "" }) {
      const { hostname, port, pathname } = URL.canParse(redis)
        ? new URL(redis)
        : { hostname: redis, port: "", pathname: "" };
      return [hostname, port, pathname, ...prefix, namespace].join(" ");
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

export const agent: Command = {
  usage: ["agent <engine> --brain URL [options]", "agent --list"],
  details: [
    "--brain URL        address of the brain (or SVC_BRAIN_URL), for example http://localhost:7700",
    "--redis URL        bullmq: the Redis server with the queues, redis:// or rediss://",
    "--prefix NAME      bullmq: key prefix to watch, may be repeated (default bull)",
    "--queue NAME       bullmq: watch only this queue, may be repeated (default: all that are found)",
    "--start-at WHERE   bullmq: beginning (default) or now, for queues never read before",
    "--namespace NAME   put in front of task ids, for two brokers of one engine in one project",
    "--name NAME        label of this process, shown to operators (or SVC_AGENT_NAME)",
    "--transport KIND   ws (default) or longpoll (needs SVC_AGENT_ID); or SVC_TRANSPORT",
    "--dev              allow plain http and ws to any host",
    "--list             the engines this build knows",
    "Token and secret come from the environment: SVC_TOKEN and SVC_HMAC_SECRET, as shown once when the agent was minted.",
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(
      args,
      {
        brain: { type: "string" },
        redis: { type: "string" },
        prefix: { type: "string", multiple: true },
        queue: { type: "string", multiple: true },
        "start-at": { type: "string" },
        namespace: { type: "string" },
        name: { type: "string" },
        transport: { type: "string" },
        dev: { type: "boolean" },
        list: { type: "boolean" },
      },
      { positionals: 1 },
    );
    if (values.list === true) {
      for (const [name, { summary }] of Object.entries(engines)) terminal.out(`${name.padEnd(10)} ${summary}`);
      return exitCodes.done;
    }
    const [engineName] = positionals;
    if (engineName === undefined) throw new CliError("usage", "name an engine; svc agent --list shows them");
    const engine = Object.hasOwn(engines, engineName) ? engines[engineName] : undefined;
    if (engine === undefined)
      throw new CliError("usage", `unknown engine "${engineName}"; svc agent --list shows them`);
    const options = {
      redis: values.redis,
      prefix: values.prefix,
      queue: values.queue,
      namespace: values.namespace,
      startAt: values["start-at"],
    };
    const adapter = await engine.create(options);
    return runUntilStopped(start({ ...values, adapter, source: engine.source(options) }, terminal), terminal);
  },
};

interface StartOptions {
  readonly adapter: EngineAdapter;
  readonly source: string;
  readonly brain?: string | undefined;
  readonly name?: string | undefined;
  readonly transport?: string | undefined;
  readonly dev?: boolean | undefined;
}

/** A buffer file for each (brain, token, broker): what one side-car has read says nothing about another broker. */
const bufferNameOf = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 24);

function start(values: StartOptions, terminal: Terminal): Agent {
  const { adapter, source } = values;
  try {
    const { engineNames: _unused, ...fromEnvironment } = agentOptionsFromEnv(process.env);
    const brainUrl = values.brain ?? fromEnvironment.brainUrl ?? "";
    const token = fromEnvironment.token ?? "";
    return startAgent({
      bufferName: bufferNameOf(brainUrl, token, adapter.name, source),
      ...fromEnvironment,
      brainUrl,
      token,
      hmacSecret: fromEnvironment.hmacSecret ?? "",
      engines: [adapter],
      framework: "svc-sidecar",
      log: terminalLog(terminal),
      ...(values.name !== undefined && { agentName: values.name }),
      ...(values.transport !== undefined && { transport: values.transport as "ws" | "longpoll" }),
      ...(values.dev === true && { devMode: true }),
    });
  } catch (fault) {
    throw new CliError("configuration", fault instanceof Error ? fault.message : String(fault), { cause: fault });
  }
}

async function runUntilStopped(running: Agent, terminal: Terminal): Promise<number> {
  const report = running.status();
  if (report.state === "refused") throw new CliError("configuration", report.reason ?? "the options are not valid");
  running.ready.catch((fault: Error) => terminal.err(`the engine cannot be watched: ${fault.message}`));
  await untilStopped();
  await running.stop();
  return exitCodes.done;
}

/** Messages of a running agent, one line each on stderr. */
function terminalLog(terminal: Terminal): AgentLog {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const facts = Object.entries(fields).map(
        ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      terminal.err([new Date().toISOString(), level, message, ...facts].join(" "));
    };
  return { debug: () => {}, info: at("info "), warn: at("warn "), error: at("error") };
}
