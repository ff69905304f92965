import { isIP } from "node:net";
import { connect, type PeerCertificate } from "node:tls";
import { days } from "../../platform/durations.ts";
import { checkMailServer } from "../../platform/mail/mail.ts";
import { about, type Finding } from "./finding.ts";

const answerMs = 5000;
const soonDays = 14;

/** Checks the certificate of the public URL; no finding for plain http. */
export async function checkCertificate(publicUrl: string, now: Date): Promise<Finding[]> {
  const { ok, warning, failed } = about("tls");
  const url = new URL(publicUrl);
  if (url.protocol !== "https:") return [];
  const port = url.port === "" ? 443 : Number(url.port);
  const seen = await readCertificate(url.hostname.replace(/^\[|\]$/g, ""), port);
  if ("failure" in seen) {
    const advice = "check that the proxy runs. The name may resolve differently inside your network";
    return [warning(`no certificate from ${url.origin} (${seen.failure})`, advice)];
  }
  const ends = new Date(seen.certificate.valid_to);
  const daysLeft = Math.floor((ends.getTime() - now.getTime()) / days(1));
  const until = `the certificate of ${url.hostname} is valid until ${ends.toISOString().slice(0, 10)}`;
  if (daysLeft < 0) return [failed(until, "renew it")];
  if (seen.refusal !== null)
    return [failed(`${until}, but browsers refuse it (${seen.refusal})`, "check its host names and its chain")];
  return [daysLeft < soonDays ? warning(`${until}, for ${daysLeft} more days`, "renew it") : ok(until)];
}

type Seen = { readonly failure: string } | { readonly certificate: PeerCertificate; readonly refusal: string | null };

function readCertificate(host: string, port: number): Promise<Seen> {
  return new Promise((resolve) => {
    // The certificate is only read: nothing is sent over the connection.
    const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
    const settle = (seen: Seen) => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(answerMs, () => settle({ failure: "no answer" }));
    socket.once("error", (error: NodeJS.ErrnoException) => settle({ failure: error.code ?? error.message }));
    socket.once("secureConnect", () => {
      const refusal = socket.authorized ? null : String(socket.authorizationError);
      settle({ certificate: socket.getPeerCertificate(), refusal });
    });
  });
}

/** Whether the mail server accepts mail: connects, and signs in if the URL has a user. No mail is sent. */
export async function checkMail(mailUrl: string | undefined): Promise<Finding> {
  const { ok, failed } = about("mail");
  if (mailUrl === undefined) return ok("no mail server is set; invitations and password resets are not mailed");
  const { host } = new URL(mailUrl);
  const fault = await checkMailServer(mailUrl);
  return fault === null
    ? ok(`${host} accepts mail`)
    : failed(
        `${host} does not accept mail (${fault})`,
        "check SVC_MAIL_URL: host, port, smtp or smtps, user and password",
      );
}
