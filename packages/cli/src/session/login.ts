import { createClient, isProblem, type Me } from "@svc/client";
import { brainAddress } from "../api/address.ts";
import { asking, readPlace, serviceOptions, usualAddress } from "../api/connect.ts";
import { cookieFetch } from "../api/requests.ts";
import { readSession, type SavedSession, sessionPath, writeSession } from "../api/session-file.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { ask, isAnswered } from "../terminal/ask.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { readProof } from "../terminal/read-password.ts";
import { endSession } from "./logout.ts";

const options = {
  stdin: {
    type: "boolean",
    help: "the password is the first line of standard input, a code of the second factor the second one",
  },
  remember: { type: "boolean", help: "keep the session for weeks, also when it is not used" },
  json: { type: "boolean", help: "one JSON document" },
  ...serviceOptions,
} as const satisfies CommandOptions;

export const login: Command = {
  usage: ["login [EMAIL] [--brain URL] [--remember] [--stdin] [--json]"],
  options,
  details: [
    "Asks for the password without showing it, unless --stdin or the file named by SVC_PASSWORD_FILE gives it, and for a code where there is",
    "a second factor. The session is kept in session.json under SVC_HOME, for its owner alone, and sent to this service only; svc logout",
    "ends it.",
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const { env, home, given } = await readPlace(values, terminal);
    const before = await readSession(home, { isToEnd: true }).catch(() => null);
    const address = given ?? (before === null ? usualAddress(env) : brainAddress(before.brain_url, anyHttp));
    const email = positionals[0] ?? (isAnswered() ? await ask(`E-mail address at ${address}: `) : "");
    if (email === "") throw new CliError("usage", "name the account by its e-mail address");
    const proof = await readProof({ file: process.env.SVC_PASSWORD_FILE, fromStdin: values.stdin === true });

    // The service ends the session that is presented: nobody is left with two of them.
    const { fetch, readCookies, cookies } = cookieFetch(before?.brain_url === address ? before.cookies : {});
    const api = createClient({ baseUrl: address, fetch, readCookies });
    const body = { email, password: proof.password, remember_me: values.remember === true };
    const signedIn = await asking({ address, credential: "none" }, () => api.login(body));
    let me: Me;
    try {
      if (signedIn.mfa_required) await proveFactor((code) => api.verifyMfa({ code }), proof.code, address);
      me = await asking({ address, credential: "session" }, () => api.getMe());
      await writeSession(home, { brain_url: address, email: me.email, cookies: cookies() });
    } catch (fault) {
      await api.logout().catch(() => {});
      throw fault;
    }
    if (before !== null && before.brain_url !== address) await endElsewhere(before);
    if (signedIn.mfa_enrollment_required) {
      const until = signedIn.mfa_enrollment_deadline ?? "now";
      terminal.err(`svc: a second factor has to be set up in the dashboard, until ${until}`);
    }
    const { idle_expires_at, expires_at } = me.session;
    if (values.json === true)
      terminal.out(jsonText({ brain_url: address, email: me.email, idle_expires_at, expires_at }));
    else {
      const end =
        idle_expires_at === null
          ? expires_at
          : `${idle_expires_at} unless it is used, and on ${expires_at} in any case`;
      terminal.out(`${inOneLine(me.email)} is signed in at ${address}; the session ends at ${end}`);
      terminal.err(`svc: it is kept in ${sessionPath(home)}`);
    }
    return exitCodes.done;
  },
};

/** Consented to when it was signed in to. */
const anyHttp = { allowsPlainHttp: true } as const;

const attempts = 3;

/** @throws CliError `refused` when the code is wrong, or when there is nobody to ask for one. */
async function proveFactor(verify: (code: string) => Promise<unknown>, given: string | null, address: string) {
  if (given === null && !isAnswered()) {
    throw new CliError("refused", "the account has a second factor: the second line of --stdin is its code");
  }
  for (let left = given === null ? attempts : 1; ; left -= 1) {
    const code = given ?? (await ask("Code of the second factor: "));
    try {
      await asking({ address, credential: "session" }, () => verify(code));
      return;
    } catch (fault) {
      const { cause } = fault as CliError;
      if (!isProblem(cause) || cause.status !== 422) throw fault;
      if (left === 1)
        throw new CliError("refused", "the code of the second factor is wrong; each counts once", { cause });
      process.stderr.write("That code is wrong.\n");
    }
  }
}

/** At another service, which may be gone. */
const endElsewhere = (session: SavedSession): Promise<void> => endSession(session).catch(() => {});
