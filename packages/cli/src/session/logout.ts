import { createClient, isProblem } from "@svc/client";
import { explainProblem } from "../api/problems.ts";
import { cookieFetch } from "../api/requests.ts";
import { readSession, removeSession, type SavedSession } from "../api/session-file.ts";
import { defineCommand } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { readEnvironment } from "../settings/read-environment.ts";

export const logout = defineCommand({
  usage: ["logout"],
  details: ["Ends the session at the service and deletes it from SVC_HOME. Does nothing without a session."],
  async run(_given, terminal) {
    const { home } = await readEnvironment(terminal, { readsWorkingFolder: false });
    let session: SavedSession | null;
    try {
      session = await readSession(home, { isSigningOut: true });
    } finally {
      // The file is deleted even if it is invalid.
      await removeSession(home);
    }
    if (session === null) return void terminal.err("svc: not signed in");
    try {
      await endSession(session);
    } catch (cause) {
      if (!isProblem(cause)) throw cause;
      const { exit, message } = explainProblem(cause, { address: session.brain_url, credential: "session" });
      throw new CliError(exit, `${message}\n     the session was deleted here, but it is still valid at the service`, {
        cause,
      });
    }
    terminal.out(`signed ${session.email} out of ${session.brain_url}`);
  },
});

/** Ends a session at its service. An expired session counts as ended. @throws ApiProblem */
export async function endSession({ brain_url: baseUrl, cookies }: SavedSession): Promise<void> {
  const { fetch, readCookies } = cookieFetch(cookies);
  await createClient({ baseUrl, fetch, readCookies })
    .logout()
    .catch((cause: unknown) => {
      if (!isProblem(cause, "unauthenticated")) throw cause;
    });
}
