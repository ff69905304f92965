/**
 * Mail by SMTP: a bounded queue in memory, a few connections at once. A mail that fails or does not fit in the queue is logged without
 * recipient, link or credentials, and is not retried: the user can request the mail again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { isLoopbackHost } from "../http/connections/hosts.ts";
import type { Log } from "../log.ts";
import { createThrottledLog } from "../throttled-log.ts";
import { type MailMessage, renderMail } from "./render.ts";
import { isAddress, parseMailbox } from "./sender.ts";
import type { MailValues } from "./settings.ts";

export interface Mail {
  /** Whether a mail server is configured; without one nothing is sent. */
  readonly isConfigured: boolean;
  /**
   * Sends a mail in its turn.
   *
   * @returns true once the server took it; false when it did not, when the queue is full, when the recipient is no single address, and without a mail server. Never throws.
   */
  send(message: MailMessage): Promise<boolean>;
  /** Drops waiting mails and gives those in progress a moment. */
  stop(): Promise<void>;
}

interface Transport {
  sendMail(mail: object): Promise<unknown>;
  verify(): Promise<unknown>;
  close(): void;
}

/** Concurrent mails, each over a separate connection. */
const maxAtOnce = 2;
/** Mails that wait; further ones are dropped. */
const maxWaiting = 100;
const connectMs = 10_000;
/** Silence of the server after which a mail has failed. */
const silenceMs = 15_000;
const stopMs = 3000;

export interface MailDeps {
  readonly settings: MailValues;
  readonly log: Pick<Log, "info" | "warn">;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export function createMail({ settings, log, clock }: MailDeps): Mail {
  const { SVC_MAIL_URL: url, SVC_MAIL_FROM: sender } = settings;
  const from = sender === undefined ? null : parseMailbox(sender);
  if (url === undefined || from === null) return { isConfigured: false, send: async () => false, stop: async () => {} };

  // While the mail server is down, every mail of a flood fails.
  const failureNoted = createThrottledLog(clock, (mails, about) => log.warn("mail.failed", { ...about, mails }));
  const dropNoted = createThrottledLog(clock, (mails, about) => log.warn("mail.dropped", { ...about, mails }));
  const waiting: (() => void)[] = [];
  const underWay = new Set<Promise<boolean>>();
  let transport: Promise<Transport> | null = null;
  let isStopped = false;
  let free = maxAtOnce;

  function dropped({ kind }: MailMessage, reason: string): false {
    dropNoted({ kind, reason });
    return false;
  }

  async function deliver(message: MailMessage): Promise<boolean> {
    try {
      transport ??= openTransport(url!);
      const { subject, text, html } = renderMail(message);
      await (await transport).sendMail({
        from,
        to: { name: "", address: message.to },
        envelope: { from: from!.address, to: [message.to] },
        subject,
        text,
        html,
        // Suppresses automatic replies.
        headers: { "Auto-Submitted": "auto-generated" },
      });
      log.info("mail.sent", { kind: message.kind });
      return true;
    } catch (error) {
      // The server's text may repeat the recipient or the user name.
      const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
      failureNoted({ kind: message.kind, code, response_code: responseCode, command });
      return false;
    }
  }

  async function inTurn(message: MailMessage): Promise<boolean> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return isStopped ? dropped(message, "stopping") : await deliver(message);
    } finally {
      // The slot passes to the next in line without becoming free in between.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  return {
    isConfigured: true,
    async send(message) {
      if (isStopped) return dropped(message, "stopping");
      if (!isAddress(message.to)) return dropped(message, "no_address");
      if (waiting.length >= maxWaiting) return dropped(message, "queue_full");
      const sending = inTurn(message).finally(() => underWay.delete(sending));
      underWay.add(sending);
      return sending;
    },
    async stop() {
      isStopped = true;
      await Promise.race([Promise.all(underWay), sleep(stopMs, undefined, { ref: false })]);
    },
  };
}

/** Greets the mail server and signs in where the URL has a user. @returns the error without the server's text; null on success. */
export async function checkMailServer(url: string): Promise<string | null> {
  const transport = await openTransport(url);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    return [code ?? "no answer", ...(responseCode === undefined ? [] : [responseCode])].join(" ");
  } finally {
    transport.close();
  }
}

/** Loaded with the first mail, because most processes never send one. */
async function openTransport(text: string): Promise<Transport> {
  const { createTransport } = await import("nodemailer");
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const user = decodeURIComponent(url.username);
  return createTransport({
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password is sent unencrypted only to this machine.
    requireTLS: !secure && user !== "" && !isLoopbackHost(url.hostname),
    ...(user !== "" && { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
