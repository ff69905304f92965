import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../command-line/exit-codes.ts";
import { replaceFile } from "../replace-file.ts";

/** The session of `svc login`, as sensitive as the password until it expires. */
export interface SavedSession {
  /** The service it belongs to. It is sent nowhere else. */
  readonly brain_url: string;
  readonly email: string;
  /** Session and CSRF cookies by name. */
  readonly cookies: Readonly<Record<string, string>>;
}

export const sessionPath = (home: string): string => join(home, "session.json");

/**
 * The session in SVC_HOME. Null when no user is signed in.
 *
 * @throws CliError `configuration` when the file is invalid or cannot be read, or when other users can read it, except for signing out.
 */
export async function readSession(home: string, { isSigningOut = false } = {}): Promise<SavedSession | null> {
  const path = sessionPath(home);
  const text = await readText(path, isSigningOut);
  if (text === null) return null;
  const session = parse(text);
  if (session === null) throw new CliError("configuration", `${path} contains no session. Run svc login`);
  return session;
}

async function readText(path: string, isSigningOut: boolean): Promise<string | null> {
  try {
    await using file = await open(path, "r");
    const { mode } = await file.stat();
    if (!isSigningOut && process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new CliError("configuration", `${path} is readable by other users. End its session with svc logout`);
    return await file.readFile("utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (cause instanceof CliError) throw cause;
    throw new CliError("configuration", `cannot read ${path} (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

function parse(text: string): SavedSession | null {
  try {
    const session = JSON.parse(text) as SavedSession;
    const isValid =
      typeof session.brain_url === "string" &&
      typeof session.email === "string" &&
      Object.values(session.cookies).every((value) => typeof value === "string");
    return isValid ? session : null;
  } catch {
    return null;
  }
}

/** Replaces the session file in SVC_HOME, readable by its owner only. @throws CliError `failed` */
export async function writeSession(home: string, session: SavedSession): Promise<void> {
  const path = sessionPath(home);
  try {
    await mkdir(home, { mode: 0o700 }).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== "EEXIST") throw fault;
    });
    await replaceFile(path, `${JSON.stringify(session)}\n`, 0o600);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new CliError("failed", `cannot write the session to ${path} (${code})`, { cause });
  }
}

export const removeSession = (home: string): Promise<void> => rm(sessionPath(home), { force: true });
