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
  brain: text("URL", "address of the service (or SVC_BRAIN_URL), for example http://localhost:7700"),
  ...engineOptions,
  name: text("NAME", "label of this process, shown to operators (or SVC_AGENT_NAME)"),
  transport: text("KIND", "ws (default) or longpoll (or SVC_TRANSPORT). longpoll requires SVC_AGENT_ID"),
  "buffer-name": text(
    "NAME",
    "name of the buffer file (or SVC_BUFFER_NAME), to keep it when the agent is created again",
  ),
  dev: flag("allow plain http and ws to any host"),
  list: flag("list the engines of this build"),
  json: flag("with --list: print one JSON document"),
} as const satisfies CommandOptions;

export const agent = defineCommand({
  usage: ["agent [engine] --brain URL [options]", "agent --list [--json]"],
  options,
  words: Object.keys(engines),
  details: [
    "Set SVC_TOKEN and SVC_HMAC_SECRET to the token and secret shown when the agent was created. Settings are read, from lowest to highest",
    "precedence, from secret.env and config.env of SVC_HOME, ./.env and the environment. SVC_ENGINES names the default engine.",
    "Put a Redis URL with a password into SVC_REDIS_URL, because other users of a machine can read arguments.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    if (values.list === true) {
      const known = Object.entries(engines).map(([name, { summary }]) => ({ name, summary }));
      const lines = known.map(({ name, summary }) => `${name.padEnd(10)} ${summary}`);
      printResult(terminal, values, { engines: known }, lines);
      return;
    }
    if (values.json === true) throw new CliError("usage", "--json requires --list");
    const environment = await readEnvironment(terminal);
    const given = await agentOptions(positionals[0], values, environment);
    const { secureHome } = await import("@svc/brain/settings");
    for (const warning of secureHome(environment.home)) terminal.err(`svc: ${warning}`);
    using stop = listenForStop();
    const running = start(given, terminal);
    running.ready.catch((fault: Error) => terminal.err(`svc: cannot watch the engine: ${fault.message}`));
    await stop.received;
    await running.stop();
  },
});

/** The command line takes precedence over the environment. Ignores SVC_AUTOSTART, because running the command asks for a start. */
async function agentOptions(
  named: string | undefined,
  values: OptionValues<typeof options>,
  { env, home }: Environment,
): Promise<AgentOptions> {
  const { engineNames = [], autostart: _, ...given } = optionsFrom(env);
  if (named === undefined && engineNames.length > 1) {
    throw new CliError(
      "usage",
      "svc agent watches one engine, but SVC_ENGINES names several. Pass one as the first argument",
    );
  }
  const engineName = named ?? engineNames[0];
  if (engineName === undefined) throw new CliError("usage", "missing engine. Run svc agent --list to list them");
  const engine = Object.hasOwn(engines, engineName) ? engines[engineName] : undefined;
  if (engine === undefined)
    throw new CliError("usage", `unknown engine "${engineName}". Run svc agent --list to list them`);
  const adapter = await engine.create(values, env);
  const brainUrl = values.brain ?? given.brainUrl;
  const { token, hmacSecret } = given;
  const missing = [
    ...(brainUrl === undefined ? ["missing address of the service: --brain or SVC_BRAIN_URL"] : []),
    ...(token === undefined ? ["missing SVC_TOKEN: the token shown when the agent was created"] : []),
    ...(hmacSecret === undefined ? ["missing SVC_HMAC_SECRET: the secret shown with the token"] : []),
  ];
  if (brainUrl === undefined || token === undefined || hmacSecret === undefined) {
    throw new CliError("configuration", missing.join("\n     "));
  }
  return {
    bufferPath: join(home, "agent"),
    bufferName: bufferNameOf(brainUrl, token, adapter.name, engine.source(values, env)),
    ...given,
    brainUrl,
    token,
    hmacSecret,
    engines: [adapter],
    framework: "svc-sidecar",
    ...(values.name !== undefined && { agentName: values.name }),
    ...(values.transport !== undefined && { transport: values.transport as "ws" | "longpoll" }),
    ...(values["buffer-name"] !== undefined && { bufferName: values["buffer-name"] }),
    ...(values.dev === true && { devMode: true }),
  };
}

function optionsFrom(env: Environment["env"]) {
  try {
    return agentOptionsFromEnv(env);
  } catch (cause) {
    throw new CliError("configuration", (cause as Error).message, { cause });
  }
}

/** One buffer file for each service, token and broker, because the read positions of one broker do not apply to another. */
const bufferNameOf = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 24);

/** @throws CliError `configuration` for invalid options, which an agent inside an application would only log. */
function start(options: AgentOptions, terminal: Terminal): Agent {
  const early: string[] = [];
  let write = (line: string): void => void early.push(line);
  const running = startAgent({ ...options, log: lineLog((line) => write(line)) });
  const { state, reason } = running.status();
  if (state === "refused") throw new CliError("configuration", reason ?? "invalid options");
  write = terminal.err;
  for (const line of early) terminal.err(line);
  return running;
}

/** Logs of a running agent, one line each. */
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
