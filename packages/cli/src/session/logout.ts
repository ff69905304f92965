import { createClient, isProblem } from "@svc/client";
import { explainProblem } from "../api/problems.ts";
import { cookieFetch } from "../api/requests.ts";
import { readSession, removeSession, type SavedSession } from "../api/session-file.ts";
import { defineCommand } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { readEnvironment } from "../settings/read-environment.ts";

export const logout = defineCommand({
  usage: ["logout"],
  details: ["Ends the session at the service and removes it from SVC_HOME. Without a session it does nothing."],
  async run(_given, terminal) {
    const { home } = await readEnvironment(terminal, { readsWorkingFolder: false });
    let session: SavedSession | null;
    try {
      session = await readSession(home, { isToEnd: true });
    } finally {
      // Whatever it holds, nobody is to use it after this.
      await removeSession(home);
    }
    if (session === null) return void terminal.err("svc: nobody was signed in");
    try {
      await endSession(session);
    } catch (cause) {
      if (!isProblem(cause)) throw cause;
      const { exit, message } = explainProblem(cause, { address: session.brain_url, credential: "session" });
      throw new CliError(exit, `${message}\n     the session is forgotten here, but not ended there`, { cause });
    }
    terminal.out(`${session.email} is signed out of ${session.brain_url}`);
  },
});

/** Ends a session at its service; one that is over already is ended well. @throws ApiProblem */
export async function endSession({ brain_url: baseUrl, cookies }: SavedSession): Promise<void> {
  const { fetch, readCookies } = cookieFetch(cookies);
  await createClient({ baseUrl, fetch, readCookies })
    .logout()
    .catch((cause: unknown) => {
      if (!isProblem(cause, "unauthenticated")) throw cause;
    });
}
