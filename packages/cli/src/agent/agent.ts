import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Agent, type AgentLog, type AgentOptions, agentOptionsFromEnv, startAgent } from "@svc/agent";
import {
  type CommandOptions,
  defineCommand,
  flag,
  type OptionValues,
  type Terminal,
  text,
} from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { type Environment, readEnvironment } from "../settings/read-environment.ts";
import { printResult } from "../terminal/printed.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { engineOptions, engines } from "./agent-engines.ts";

const options = {
  brain: text("URL", "address of the brain (or SVC_BRAIN_URL), for example http://localhost:7700"),
  ...engineOptions,
  name: text("NAME", "label of this process, shown to operators (or SVC_AGENT_NAME)"),
  transport: text("KIND", "ws (default) or longpoll (needs SVC_AGENT_ID); or SVC_TRANSPORT"),
  "buffer-name": text("NAME", "name of the buffer file (or SVC_BUFFER_NAME); keeps it when the agent is created again"),
  dev: flag("allow plain http and ws to any host"),
  list: flag("the engines this build knows"),
  json: flag("with --list: one JSON document"),
} as const satisfies CommandOptions;

export const agent = defineCommand({
  usage: ["agent [engine] --brain URL [options]", "agent --list [--json]"],
  options,
  words: Object.keys(engines),
  details: [
    "Token and secret are SVC_TOKEN and SVC_HMAC_SECRET, as shown once when the agent was created. They and the rest may stand, low to high,",
    "in secret.env and config.env of SVC_HOME, in ./.env and in the environment. SVC_ENGINES names the engine when the command does not.",
    "A Redis URL with a password belongs into SVC_REDIS_URL, since other users of a machine can read arguments.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    if (values.list === true) {
      const known = Object.entries(engines).map(([name, { summary }]) => ({ name, summary }));
      const lines = known.map(({ name, summary }) => `${name.padEnd(10)} ${summary}`);
      printResult(terminal, values, { engines: known }, lines);
      return;
    }
    if (values.json === true) throw new CliError("usage", "--json belongs to --list");
    const environment = await readEnvironment(terminal);
    const given = await agentOptions(positionals[0], values, environment);
    const { secureHome } = await import("@svc/brain/settings");
    for (const warning of secureHome(environment.home)) terminal.err(`svc: ${warning}`);
    using stop = listenForStop();
    const running = start(given, terminal);
    running.ready.catch((fault: Error) => terminal.err(`svc: the engine cannot be watched: ${fault.message}`));
    await stop.received;
    await running.stop();
  },
});

/** The command line wins over what is written elsewhere. Whoever types the command wants it to start, whatever SVC_AUTOSTART says. */
async function agentOptions(
  named: string | undefined,
  words: OptionValues<typeof options>,
  { env, home }: Environment,
): Promise<AgentOptions> {
  const { engineNames = [], autostart: _, ...given } = optionsFrom(env);
  if (named === undefined && engineNames.length > 1) {
    throw new CliError("usage", "one svc agent watches one engine; name one of those in SVC_ENGINES");
  }
  const engineName = named ?? engineNames[0];
  if (engineName === undefined) throw new CliError("usage", "name an engine; svc agent --list shows them");
  const engine = Object.hasOwn(engines, engineName) ? engines[engineName] : undefined;
  if (engine === undefined) throw new CliError("usage", `unknown engine "${engineName}"; svc agent --list shows them`);
  const adapter = await engine.create(words, env);
  const brainUrl = words.brain ?? given.brainUrl;
  const { token, hmacSecret } = given;
  const missing = [
    ...(brainUrl === undefined ? ["the brain's address is missing: --brain or SVC_BRAIN_URL"] : []),
    ...(token === undefined ? ["SVC_TOKEN is missing: the token shown when the agent was created"] : []),
    ...(hmacSecret === undefined ? ["SVC_HMAC_SECRET is missing: the secret shown beside the token"] : []),
  ];
  if (brainUrl === undefined || token === undefined || hmacSecret === undefined) {
    throw new CliError("configuration", missing.join("\n     "));
  }
  return {
    bufferPath: join(home, "agent"),
    bufferName: bufferNameOf(brainUrl, token, adapter.name, engine.source(words, env)),
    ...given,
    brainUrl,
    token,
    hmacSecret,
    engines: [adapter],
    framework: "svc-sidecar",
    ...(words.name !== undefined && { agentName: words.name }),
    ...(words.transport !== undefined && { transport: words.transport as "ws" | "longpoll" }),
    ...(words["buffer-name"] !== undefined && { bufferName: words["buffer-name"] }),
    ...(words.dev === true && { devMode: true }),
  };
}

function optionsFrom(env: Environment["env"]) {
  try {
    return agentOptionsFromEnv(env);
  } catch (cause) {
    throw new CliError("configuration", (cause as Error).message, { cause });
  }
}

/** A buffer file for each (brain, token, broker): what one side-car has read says nothing about another broker. */
const bufferNameOf = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 24);

/** @throws CliError `configuration` with every fault of the options, which an agent inside an application would only log. */
function start(options: AgentOptions, terminal: Terminal): Agent {
  const early: string[] = [];
  let write = (line: string): void => void early.push(line);
  const running = startAgent({ ...options, log: lineLog((line) => write(line)) });
  const { state, reason } = running.status();
  if (state === "refused") throw new CliError("configuration", reason ?? "the options are not valid");
  write = terminal.err;
  for (const line of early) terminal.err(line);
  return running;
}

/** Messages of a running agent, one line each. */
function lineLog(write: (line: string) => void): AgentLog {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const facts = Object.entries(fields).map(
        ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      write([new Date().toISOString(), level, message, ...facts].join(" "));
    };
  return { debug: () => {}, info: at("info "), warn: at("warn "), error: at("error") };
}
