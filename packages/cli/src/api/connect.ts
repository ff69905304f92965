import { type Client, createClient, isProblem } from "@svc/client";
import { type CommandOptions, flag, type OptionValues, type Terminal, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { readEnvironment } from "../settings/read-environment.ts";
import { brainAddress } from "./address.ts";
import { explainProblem, type ServiceContext } from "./problems.ts";
import { cookieFetch, timedFetch } from "./requests.ts";
import { readSession } from "./session-file.ts";

/** Options of every command that uses a running service. */
export const serviceOptions = {
  brain: text(
    "URL",
    "address of the service (or SVC_BRAIN_URL, default: the service of svc login, otherwise SVC_PUBLIC_URL)",
  ),
  "plain-http": flag("allow unencrypted http to another machine"),
} as const satisfies CommandOptions;

/** Options of every command about one project. */
export const projectOptions = {
  project: text("SLUG", "project (or SVC_PROJECT_ID, default: the only project you can access)"),
  ...serviceOptions,
} as const satisfies CommandOptions;

export const authHelp = "Authenticates with the API key in SVC_API_KEY, otherwise with the session of svc login.";
export const sessionAuthHelp = "Requires the session of svc login. API keys are not accepted.";

/** How to reach and authenticate to a service. */
interface Connection extends ServiceContext {
  readonly api: Client;
}

/** A connection and the selected project. */
export interface Project extends Connection {
  readonly slug: string;
}

/** The service's address and settings of this machine. `./.env` is ignored, so that no folder can redirect keys and passwords. */
export async function readLocalSettings(values: OptionValues<typeof serviceOptions>, terminal: Terminal) {
  const { SVC_PASSWORD_FILE: _, ...own } = process.env;
  const { env, home } = await readEnvironment(terminal, { env: own, readsWorkingFolder: false });
  const given = values.brain ?? env.SVC_BRAIN_URL;
  const allowsPlainHttp = values["plain-http"] === true;
  return { env, home, given: given === undefined ? undefined : brainAddress(given, { allowsPlainHttp }) };
}

type LocalSettings = Awaited<ReturnType<typeof readLocalSettings>>;

/** The default address. */
export const defaultAddress = (env: Readonly<Record<string, string>>): string =>
  brainAddress(env.SVC_PUBLIC_URL ?? "http://localhost:7700", { allowsPlainHttp: false });

/** @throws CliError `configuration` for a bad address, `refused` without a credential for it. */
async function connect({ env, home, given }: LocalSettings, needsSession: boolean): Promise<Connection> {
  const key = env.SVC_API_KEY;
  if (key !== undefined && !needsSession) {
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CliError("configuration", "SVC_API_KEY is not a valid API key");
    const address = given ?? (await readSession(home))?.brain_url ?? defaultAddress(env);
    const api = createClient({ baseUrl: address, bearer: key, fetch: timedFetch });
    return { api, address, credential: "key" };
  }
  const session = await readSession(home);
  if (session === null) {
    throw new CliError("refused", `not signed in. Run svc login${needsSession ? "" : " or set SVC_API_KEY"}`);
  }
  const { brain_url: address, email, cookies } = session;
  if (given !== undefined && given !== address) {
    throw new CliError("refused", `${email} is signed in at ${address}, not at ${given}. Run svc login`);
  }
  const { fetch, readCookies } = cookieFetch(cookies);
  return { api: createClient({ baseUrl: address, fetch, readCookies }), address, credential: "session" };
}

/** Runs `work` and converts a refusal of the service to a CliError that names `what` was requested. */
export async function callService<Context extends ServiceContext, T>(
  context: Context,
  work: (context: Context) => Promise<T>,
  what?: string,
): Promise<T> {
  try {
    return await work(context);
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    throw explainProblem(cause, context, what);
  }
}

/**
 * Connects to the service and selects the project.
 *
 * @param needsSession for routes that refuse API keys.
 * @throws CliError like `connect` and `onlySlug`.
 */
export async function openProject(
  values: OptionValues<typeof projectOptions>,
  terminal: Terminal,
  { needsSession = false }: { readonly needsSession?: boolean } = {},
): Promise<Project> {
  const settings = await readLocalSettings(values, terminal);
  const connection = await connect(settings, needsSession);
  return { ...connection, slug: values.project ?? settings.env.SVC_PROJECT_ID ?? (await onlySlug(connection)) };
}

/** @throws CliError `usage` when there are several projects, `refused` when there is none. */
async function onlySlug(connection: Connection): Promise<string> {
  const projects = await connection.api.listProjects().catch((cause: unknown) => {
    // A key may lack the scope for listing projects.
    if (isProblem(cause, "scope_missing")) throw new CliError("usage", "missing --project SLUG");
    throw isProblem(cause) ? explainProblem(cause, connection) : cause;
  });
  const [only, ...others] = projects.map(({ slug }) => slug);
  if (only === undefined) throw new CliError("refused", "you don't have access to any project");
  if (others.length === 0) return only;
  const listed = [only, ...others].slice(0, 10).join(", ");
  throw new CliError("usage", `missing --project SLUG, one of ${others.length < 10 ? listed : `${listed}, …`}`);
}
