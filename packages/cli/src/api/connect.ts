import { type Client, createClient, isProblem } from "@svc/client";
import { type CommandOptions, flag, type OptionValues, type Terminal, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { readEnvironment } from "../settings/read-environment.ts";
import { brainAddress } from "./address.ts";
import { type Asked, explainProblem } from "./problems.ts";
import { cookieFetch, quickFetch } from "./requests.ts";
import { readSession } from "./session-file.ts";

/** Options of every command that speaks with a running service. */
export const serviceOptions = {
  brain: text(
    "URL",
    "address of the service (or SVC_BRAIN_URL; default: where svc login signed in, else SVC_PUBLIC_URL)",
  ),
  "plain-http": flag("allow plain http to another machine"),
} as const satisfies CommandOptions;

/** Options of every command about one project. */
export const projectOptions = {
  project: text("SLUG", "the project (or SVC_PROJECT_ID; default: the only one there is to see)"),
  ...serviceOptions,
} as const satisfies CommandOptions;

export const whoAsks = "Asks with the API key in SVC_API_KEY, else with the session of svc login.";
export const sessionAsks = "No API key may do this: it takes the session of svc login.";

/** How to speak with a service. */
interface Connection extends Asked {
  readonly api: Client;
}

/** A connection, and the project that is meant. */
export interface Project extends Connection {
  readonly slug: string;
}

/** Where the service is, and what may be read of this machine. `./.env` is left out: no folder steers where keys and passwords go. */
export async function readPlace(words: OptionValues<typeof serviceOptions>, terminal: Terminal) {
  const { SVC_PASSWORD_FILE: _, ...own } = process.env;
  const { env, home } = await readEnvironment(terminal, { env: own, readsWorkingFolder: false });
  const given = words.brain ?? env.SVC_BRAIN_URL;
  const allowsPlainHttp = words["plain-http"] === true;
  return { env, home, given: given === undefined ? undefined : brainAddress(given, { allowsPlainHttp }) };
}

type Place = Awaited<ReturnType<typeof readPlace>>;

/** Where a service is that nobody named. */
export const usualAddress = (env: Readonly<Record<string, string>>): string =>
  brainAddress(env.SVC_PUBLIC_URL ?? "http://localhost:7700", { allowsPlainHttp: false });

/** @throws CliError `configuration` for a bad address, `refused` without a credential for it. */
async function connect({ env, home, given }: Place, needsSession: boolean): Promise<Connection> {
  const key = env.SVC_API_KEY;
  if (key !== undefined && !needsSession) {
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CliError("configuration", "SVC_API_KEY is no API key");
    const address = given ?? (await readSession(home))?.brain_url ?? usualAddress(env);
    const api = createClient({ baseUrl: address, bearer: key, fetch: quickFetch });
    return { api, address, credential: "key" };
  }
  const session = await readSession(home);
  if (session === null) {
    throw new CliError("refused", `nobody is signed in: svc login${needsSession ? "" : ", or set SVC_API_KEY"}`);
  }
  const { brain_url: address, email, cookies } = session;
  if (given !== undefined && given !== address) {
    throw new CliError("refused", `${email} is signed in at ${address}, not at ${given}: svc login`);
  }
  const { fetch, readCookies } = cookieFetch(cookies);
  return { api: createClient({ baseUrl: address, fetch, readCookies }), address, credential: "session" };
}

/** Does `work` with the service. @throws CliError for whatever the service refuses, about `what` it was asked for. */
export async function asking<Who extends Asked, T>(
  who: Who,
  work: (who: Who) => Promise<T>,
  what?: string,
): Promise<T> {
  try {
    return await work(who);
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    throw explainProblem(cause, who, what);
  }
}

/**
 * The project that is meant, by whoever may ask for it.
 *
 * @param needsSession for routes that refuse every API key.
 * @throws CliError as `connect` and `onlySlug` do.
 */
export async function openProject(
  words: OptionValues<typeof projectOptions>,
  terminal: Terminal,
  { needsSession = false }: { readonly needsSession?: boolean } = {},
): Promise<Project> {
  const place = await readPlace(words, terminal);
  const connection = await connect(place, needsSession);
  return { ...connection, slug: words.project ?? place.env.SVC_PROJECT_ID ?? (await onlySlug(connection)) };
}

/** @throws CliError `usage` when there are several projects; `refused` when there is none. */
async function onlySlug(connection: Connection): Promise<string> {
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
