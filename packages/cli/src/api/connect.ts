import { type Client, createClient, isProblem } from "@svc/client";
import type { CommandOptions, Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { readEnvironment } from "../settings/read-environment.ts";
import { brainAddress } from "./address.ts";
import { explainProblem } from "./problems.ts";
import { cookieFetch, quickFetch } from "./requests.ts";
import { readSession } from "./session-file.ts";

/** Options of every command that speaks with a running service. */
export const serviceOptions = {
  brain: {
    type: "string",
    value: "URL",
    help: "address of the service (or SVC_BRAIN_URL; default: where svc login signed in, else SVC_PUBLIC_URL)",
  },
  "plain-http": { type: "boolean", help: "allow plain http to another machine" },
} as const satisfies CommandOptions;

/** Options of every command about one project. */
export const projectOptions = {
  project: {
    type: "string",
    value: "SLUG",
    help: "the project (or SVC_PROJECT_ID; default: the only one there is to see)",
  },
  ...serviceOptions,
} as const satisfies CommandOptions;

export const whoAsks = "Asks with the API key in SVC_API_KEY, else with the session of svc login.";
export const sessionAsks = "No API key may do this: it takes the session of svc login.";

export interface ServiceWords {
  readonly brain?: string | undefined;
  readonly "plain-http"?: boolean | undefined;
}

export interface ProjectWords extends ServiceWords {
  readonly project?: string | undefined;
}

/** How to speak with a service. */
export interface Connection {
  readonly api: Client;
  readonly address: string;
  readonly credential: "key" | "session";
  /** As SVC_PROJECT_ID has it. */
  readonly project: string | undefined;
}

/** Where the service is, and what may be read of this machine. `./.env` is left out: no folder steers where keys and passwords go. */
export async function readPlace(words: ServiceWords, terminal: Terminal) {
  const { SVC_PASSWORD_FILE: _, ...own } = process.env;
  const { env, home } = await readEnvironment(terminal, { env: own, readsWorkingFolder: false });
  const given = words.brain ?? env.SVC_BRAIN_URL;
  const allowsPlainHttp = words["plain-http"] === true;
  return { env, home, given: given === undefined ? undefined : brainAddress(given, { allowsPlainHttp }) };
}

/** Where a service is that nobody named. */
export const usualAddress = (env: Readonly<Record<string, string>>): string =>
  brainAddress(env.SVC_PUBLIC_URL ?? "http://localhost:7700", { allowsPlainHttp: false });

/**
 * Finds address and credential.
 *
 * @param needsSession for routes that refuse every API key.
 * @throws CliError `configuration` for a bad address, `refused` without a credential for it.
 */
async function connect(
  words: ServiceWords,
  terminal: Terminal,
  { needsSession = false }: { readonly needsSession?: boolean } = {},
): Promise<Connection> {
  const { env, home, given } = await readPlace(words, terminal);
  const key = env.SVC_API_KEY;
  const project = env.SVC_PROJECT_ID;
  if (key !== undefined && !needsSession) {
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CliError("configuration", "SVC_API_KEY is no API key");
    const address = given ?? (await readSession(home))?.brain_url ?? usualAddress(env);
    return {
      api: createClient({ baseUrl: address, bearer: key, fetch: quickFetch }),
      address,
      credential: "key",
      project,
    };
  }
  const session = await readSession(home);
  if (session === null) {
    const other = needsSession ? "" : ", or set SVC_API_KEY";
    throw new CliError("refused", `nobody is signed in: svc login${other}`);
  }
  const address = given ?? session.brain_url;
  if (address !== session.brain_url) {
    throw new CliError(
      "refused",
      `${session.email} is signed in at ${session.brain_url}, not at ${address}: svc login`,
    );
  }
  const { fetch, readCookies } = cookieFetch(session.cookies);
  return { api: createClient({ baseUrl: address, fetch, readCookies }), address, credential: "session", project };
}

/** Does `work` with the service. @throws CliError for whatever the service refuses. */
export async function asking<T>(
  connection: Pick<Connection, "address"> & { readonly credential: "key" | "session" | "none" },
  work: () => Promise<T>,
  named: { readonly slug?: string; readonly what?: string } = {},
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    throw explainProblem(cause, { ...connection, ...named });
  }
}

/** A connection and the slug of the project that is meant. @throws CliError as `connect` and `projectOf` do. */
export async function openProject(
  words: ProjectWords,
  terminal: Terminal,
  options: { readonly needsSession?: boolean } = {},
) {
  const connection = await connect(words, terminal, options);
  return { connection, slug: await projectOf(words, connection) };
}

/** @throws CliError `usage` when the project is not named and there are several; `refused` when there is none. */
async function projectOf(words: ProjectWords, connection: Connection): Promise<string> {
  const named = words.project ?? connection.project;
  if (named !== undefined) return named;
  const projects = await connection.api.listProjects().catch((cause: unknown) => {
    // A key may do its work without a scope for projects.
    if (isProblem(cause, "scope_missing")) throw new CliError("usage", "name the project: --project SLUG");
    throw isProblem(cause) ? explainProblem(cause, connection) : cause;
  });
  const [only, ...others] = projects.map(({ slug }) => slug);
  if (only === undefined) throw new CliError("refused", "there is no project that you may see");
  if (others.length === 0) return only;
  const listed = [only, ...others].slice(0, 10).join(", ");
  throw new CliError("usage", `name the project: --project ${others.length < 10 ? listed : `${listed}, …`}`);
}
