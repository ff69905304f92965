import { createClient, isProblem, type Me } from "@svc/client";
import { brainAddress } from "../api/address.ts";
import { asking, readPlace, serviceOptions, usualAddress } from "../api/connect.ts";
import { cookieFetch } from "../api/requests.ts";
import { readSession, sessionPath, writeSession } from "../api/session-file.ts";
import { defineCommand, flag } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { ask, isAnswered } from "../terminal/ask.ts";
import { inOneLine, printResult } from "../terminal/printed.ts";
import { readProof } from "../terminal/read-password.ts";
import { endSession } from "./logout.ts";

export const login = defineCommand({
  usage: ["login [EMAIL] [--brain URL] [--remember] [--stdin] [--json]"],
  options: {
    stdin: flag("the password is the first line of standard input, a code of the second factor the second one"),
    remember: flag("keep the session for weeks, also when it is not used"),
    ...jsonOption,
    ...serviceOptions,
  },
  details: [
    "Asks for the password without showing it, unless --stdin or the file named by SVC_PASSWORD_FILE gives it, and for a code where there is",
    "a second factor. The session is kept in session.json under SVC_HOME, for its owner alone, and sent to this service only; svc logout",
    "ends it.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
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
    // Another service may be gone.
    if (before !== null && before.brain_url !== address) await endSession(before).catch(() => {});
    if (signedIn.mfa_enrollment_required) {
      const until = signedIn.mfa_enrollment_deadline ?? "now";
      terminal.err(`svc: a second factor has to be set up in the dashboard, until ${until}`);
    }
    const { idle_expires_at: idleEnd, expires_at: lastEnd } = me.session;
    const document = { brain_url: address, email: me.email, idle_expires_at: idleEnd, expires_at: lastEnd };
    const end = idleEnd === null ? lastEnd : `${idleEnd} unless it is used, and on ${lastEnd} in any case`;
    const done = `${inOneLine(me.email)} is signed in at ${address}; the session ends at ${end}`;
    printResult(terminal, values, document, [done]);
    if (values.json !== true) terminal.err(`svc: it is kept in ${sessionPath(home)}`);
  },
});

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
