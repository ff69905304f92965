import { createClient, isProblem, type Me } from "@svc/client";
import { brainAddress } from "../api/address.ts";
import { callService, defaultAddress, readLocalSettings, serviceOptions } from "../api/connect.ts";
import { cookieFetch } from "../api/requests.ts";
import { readSession, sessionPath, writeSession } from "../api/session-file.ts";
import { defineCommand, flag } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { ask, hasTerminal } from "../terminal/ask.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";
import { readCredentials } from "../terminal/read-password.ts";
import { endSession } from "./logout.ts";

export const login = defineCommand({
  usage: ["login [EMAIL] [--brain URL] [--remember] [--stdin] [--json]"],
  options: {
    stdin: flag(
      "read the password from the first line of standard input, and a code of the second factor from the second",
    ),
    remember: flag("keep the session for 30 days (by default), even if it is not used"),
    ...jsonOption,
    ...serviceOptions,
  },
  details: [
    "Asks for the password without showing it, unless --stdin or the file in SVC_PASSWORD_FILE provides it, and for a code if the account",
    "has a second factor. The session is stored in session.json under SVC_HOME, readable by its owner only, and sent to this service only. svc logout",
    "ends it.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const { env, home, given } = await readLocalSettings(values, terminal);
    const before = await readSession(home, { isSigningOut: true }).catch(() => null);
    const address = given ?? (before === null ? defaultAddress(env) : brainAddress(before.brain_url, anyHttp));
    const email = positionals[0] ?? (hasTerminal() ? await ask(`Email address at ${address}: `) : "");
    if (email === "") throw new CliError("usage", "missing EMAIL of the account");
    const credentials = await readCredentials({
      file: process.env.SVC_PASSWORD_FILE,
      fromStdin: values.stdin === true,
    });

    // The service ends the session that the request presents, so that only one remains.
    const { fetch, readCookies, cookies } = cookieFetch(before?.brain_url === address ? before.cookies : {});
    const api = createClient({ baseUrl: address, fetch, readCookies });
    const body = { email, password: credentials.password, remember_me: values.remember === true };
    const signedIn = await callService({ address, credential: "none" }, () => api.login(body));
    let me: Me;
    try {
      if (signedIn.mfa_required) await verifyFactor((code) => api.verifyMfa({ code }), credentials.code, address);
      me = await callService({ address, credential: "session" }, () => api.getMe());
      await writeSession(home, { brain_url: address, email: me.email, cookies: cookies() });
    } catch (fault) {
      await api.logout().catch(() => {});
      throw fault;
    }
    // The other service may no longer exist.
    if (before !== null && before.brain_url !== address) await endSession(before).catch(() => {});
    if (signedIn.mfa_enrollment_required) {
      const until = signedIn.mfa_enrollment_deadline;
      terminal.err(`svc: set up a second factor in the dashboard${until == null ? "" : ` before ${until}`}`);
    }
    const { idle_expires_at: idleEnd, expires_at: lastEnd } = me.session;
    const document = { brain_url: address, email: me.email, idle_expires_at: idleEnd, expires_at: lastEnd };
    const end = idleEnd === null ? lastEnd : `${idleEnd} if it is not used, otherwise at ${lastEnd}`;
    const done = `signed in to ${address} as ${inOneLine(me.email)}. The session ends at ${end}`;
    printResult(terminal, values, document, [done]);
    if (values.json !== true) terminal.err(`svc: stored the session in ${sessionPath(home)}`);
  },
});

/** Plain http was allowed at sign-in. */
const anyHttp = { allowsPlainHttp: true } as const;

const attempts = 3;

/** @throws CliError `refused` when the code is wrong, or when there is no terminal to ask for one. */
async function verifyFactor(verify: (code: string) => Promise<unknown>, given: string | null, address: string) {
  if (given === null && !hasTerminal()) {
    throw new CliError("refused", "the account has a second factor. Put its code in the second line of --stdin");
  }
  for (let left = given === null ? attempts : 1; ; left -= 1) {
    const code = given ?? (await ask("Code of the second factor: "));
    try {
      await callService({ address, credential: "session" }, () => verify(code));
      return;
    } catch (fault) {
      const { cause } = fault as CliError;
      if (!isProblem(cause) || cause.status !== 422) throw fault;
      if (left === 1)
        throw new CliError("refused", "wrong code of the second factor. Each code works only once", { cause });
      process.stderr.write("Wrong code.\n");
    }
  }
}
