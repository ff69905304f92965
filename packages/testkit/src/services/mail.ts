import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A received mail. */
export interface ReceivedMail {
  /** From the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Unfolded header lines by lower-case name; a repeated name has several entries. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly raw: string;
}

export interface MailServerOptions {
  /** Refuses every recipient with 550. */
  readonly refuses?: boolean;
  /** Accepts connections and never greets. */
  readonly isSilent?: boolean;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

const maxKept = 100;
const maxMailBytes = 1_048_576;
const defaultWaitMs = 10_000;

/** Starts a real SMTP server on a loopback port that requires user and password and keeps received mails. */
export async function startMailServer(options: MailServerOptions = {}) {
  const user = "mailer";
  const password = `pw-${randomUUID()}`;
  const mails: ReceivedMail[] = [];
  const untaken: ReceivedMail[] = [];
  const waiting: ((mail: ReceivedMail) => void)[] = [];

  function keep(mail: ReceivedMail): void {
    mails.push(mail);
    if (mails.length > maxKept) mails.shift();
    const deliver = waiting.shift();
    if (deliver !== undefined) deliver(mail);
    else untaken.push(mail);
    if (untaken.length > maxKept) untaken.shift();
  }

  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: maxMailBytes,
    onConnect(_session, callback) {
      if (options.isSilent !== true) callback();
    },
    onAuth(auth, _session, callback) {
      if (auth.username === user && auth.password === password) callback(null, { user });
      else callback(new Error("wrong user or password"));
    },
    onRcptTo(_address, _session, callback) {
      if (options.refuses === true) callback(Object.assign(new Error("no such mailbox"), { responseCode: 550 }));
      else callback();
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        keep({ from, to: rcptTo.map(({ address }) => address), ...parseMail(Buffer.concat(chunks).toString("utf8")) });
        callback();
      });
    },
  });
  // A client that disconnects during a test is not a server error.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://${user}:${password}@127.0.0.1:${port}`,
    password,
    /** The latest mails, oldest first. */
    mails: mails as readonly ReceivedMail[],
    take,
    /** Like `take`, but drops mails with other subjects. */
    async takeAbout(subject: string) {
      let mail = await take();
      while (mail.subject !== subject) mail = await take();
      return mail;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };

  /** Resolves with the next untaken mail; rejects when none arrives in time. */
  function take(waitMs = defaultWaitMs): Promise<ReceivedMail> {
    const first = untaken.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise<ReceivedMail>((resolve, reject) => {
      const deliver = (mail: ReceivedMail) => {
        clearTimeout(timer);
        resolve(mail);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(deliver), 1);
        reject(new Error(`no mail within ${waitMs} ms`));
      }, waitMs);
      waiting.push(deliver);
    });
  }
}

/** Parses the parts of our own mails: one text and one HTML part, in quoted-printable, base64 or without encoding. */
function parseMail(raw: string): Pick<ReceivedMail, "subject" | "text" | "html" | "headers" | "raw"> {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type")?.[0] ?? "")?.[1];
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const read = parts.map((part) => splitPart(part.replace(/^\r?\n/, "")));
  const ofType = (type: string) => {
    const found = read.find((part) => part.headers.get("content-type")?.[0]?.startsWith(type));
    return found === undefined ? "" : decodeBody(found.body, found.headers.get("content-transfer-encoding")?.[0]);
  };
  const subject = decodeWords(headers.get("subject")?.[0] ?? "");
  return { subject, text: ofType("text/plain"), html: ofType("text/html"), headers, raw };
}

function splitPart(part: string): { headers: Map<string, string[]>; body: string } {
  const end = /\r?\n\r?\n/.exec(part);
  const head = part.slice(0, end?.index ?? part.length).replace(/\r?\n[ \t]+/g, " ");
  const headers = new Map<string, string[]>();
  for (const line of head.split(/\r?\n/)) {
    const [name = "", ...rest] = line.split(":");
    const values = headers.get(name.toLowerCase()) ?? [];
    headers.set(name.toLowerCase(), [...values, rest.join(":").trim()]);
  }
  return { headers, body: end === null ? "" : part.slice(end.index + end[0].length) };
}

function decodeBody(body: string, encoding = "7bit"): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, "base64").toString("utf8");
  if (!/quoted-printable/i.test(encoding)) return body;
  return decodeQuoted(body.replace(/=\r?\n/g, ""));
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_whole, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
