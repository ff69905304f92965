import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../command-line/exit-codes.ts";
import { replaceFile } from "../replace-file.ts";

/** What `svc login` keeps: as good as the password until it ends. */
export interface SavedSession {
  /** The service that it is for; it is sent nowhere else. */
  readonly brain_url: string;
  readonly email: string;
  /** Session and CSRF token, by the names that the service gave them. */
  readonly cookies: Readonly<Record<string, string>>;
}

export const sessionPath = (home: string): string => join(home, "session.json");

/**
 * The session of SVC_HOME; null when nobody is signed in.
 *
 * @throws CliError `configuration` when other users may read the file and the session is not wanted just to be ended, or when the file
 * cannot be read.
 */
export async function readSession(home: string, { isToEnd = false } = {}): Promise<SavedSession | null> {
  const path = sessionPath(home);
  const text = await readText(path, isToEnd);
  if (text === null) return null;
  const session = parse(text);
  if (session === null) throw new CliError("configuration", `${path} holds no session; svc login writes it anew`);
  return session;
}

async function readText(path: string, isToEnd: boolean): Promise<string | null> {
  try {
    await using file = await open(path, "r");
    const { mode } = await file.stat();
    if (!isToEnd && process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new CliError("configuration", `${path} may be read by other users: svc logout ends that session`);
    return await file.readFile("utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (cause instanceof CliError) throw cause;
    throw new CliError("configuration", `${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

function parse(text: string): SavedSession | null {
  try {
    const session = JSON.parse(text) as SavedSession;
    const isWhole =
      typeof session.brain_url === "string" &&
      typeof session.email === "string" &&
      Object.values(session.cookies).every((value) => typeof value === "string");
    return isWhole ? session : null;
  } catch {
    return null;
  }
}

/** Replaces the session of SVC_HOME as a whole, readable by its owner alone. @throws CliError `failed` */
export async function writeSession(home: string, session: SavedSession): Promise<void> {
  const path = sessionPath(home);
  try {
    await mkdir(home, { mode: 0o700 }).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== "EEXIST") throw fault;
    });
    await replaceFile(path, `${JSON.stringify(session)}\n`, 0o600);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new CliError("failed", `the session cannot be kept in ${path} (${code})`, { cause });
  }
}

export const removeSession = (home: string): Promise<void> => rm(sessionPath(home), { force: true });
