import { browserName } from "@svc/client/browser-name";
import { isUuid, randomToken } from "@svc/protocol";
import { cookieDigest } from "../../platform/crypto/digests.ts";
import type { Tx } from "../../platform/database/database.ts";
import { hours } from "../../platform/durations.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { pageOf } from "../../platform/http/content/paging.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { MailMessage } from "../../platform/mail/render.ts";
import type { AccountNoticeRow, Core, Tables } from "../../schema/tables/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import { detailsOf, type NoticeDetails, type NoticeKind, ruleOf } from "./kinds.ts";
import type { SecurityHistoryPage } from "./schemas.ts";
import {
  countNotices,
  findAddress,
  hasDevices,
  insertKnownDevice,
  insertNotice,
  isKnownDevice,
  listNotices,
  seeDevice,
} from "./store.ts";

export interface SecurityHistoryDeps extends Core {
  readonly mail: Pick<Mail, "send" | "isConfigured">;
  readonly settings: { readonly SVC_PUBLIC_URL: string };
}

export interface NewNotice {
  readonly userId: string;
  readonly kind: NoticeKind;
  /** Address and browser are stored only for the owner's own actions; the owner must not see those of administrators. */
  readonly origin: AuditOrigin;
  readonly details?: NoticeDetails;
}

/** A mail to pass to `notify` after the commit; null when none is needed. */
export type DueMail = MailMessage | null;

export interface DeviceSeen {
  /** Value of the device cookie: the presented one when the service issued it, otherwise a new one. */
  readonly cookie: string;
  readonly mail: DueMail;
}

/** Maximum notices stored per user. */
const maxNotices = 500;
/** Maximum browsers stored per user. */
const maxDevices = 50;
/** Maximum mails of one kind to one user per hour; further events appear only in the history. */
const maxMailsPerHour = 10;
const maxUserAgentChars = 512;

/** Security events of an account, for its owner: a history, and mails about actions that another person may have taken. */
export function createSecurityHistory({ database, clock, mail, settings }: SecurityHistoryDeps) {
  const sending = new Set<Promise<unknown>>();
  const url = new URL("/me/security", settings.SVC_PUBLIC_URL).href;

  /** Writes a notice in the transaction of the event. */
  async function record(tx: Tx<Tables>, notice: NewNotice): Promise<DueMail> {
    const { userId, kind, origin, details = {} } = notice;
    const now = clock.now();
    const isOwn = origin.user_id === userId;
    const row: AccountNoticeRow = {
      id: uuidV7(clock),
      user_id: userId,
      occurred_at: now,
      kind,
      source_ip: isOwn ? origin.source_ip : null,
      user_agent: isOwn ? (origin.user_agent?.slice(0, maxUserAgentChars) ?? null) : null,
      details: JSON.stringify(details),
    };
    await insertNotice(tx, row, maxNotices);
    if (!mail.isConfigured || !ruleOf(kind).isMailed) return null;
    const since = new Date(now.getTime() - hours(1));
    if ((await countNotices(tx, { userId, kind, since })) > maxMailsPerHour) return null;
    const to = await findAddress(tx, userId);
    return to === undefined ? null : noticeMail(to, row, url);
  }

  return {
    record,
    /** Starts to send a mail; call it after the commit. It is not awaited. */
    notify(message: DueMail) {
      if (message === null) return;
      const sent = mail.send(message).finally(() => sending.delete(sent));
      sending.add(sent);
    },
    /**
     * Records the browser of a sign-in, in its transaction, with a notice when the account has not signed in from it before. The first
     * browser of an account causes no notice. The cookie is not a credential.
     */
    async seeDevice(
      tx: Tx<Tables>,
      {
        userId,
        cookie,
        origin,
      }: { readonly userId: string; readonly cookie: string | undefined; readonly origin: AuditOrigin },
    ): Promise<DeviceSeen> {
      const now = clock.now();
      const presented = cookieDigest(cookie);
      if (presented !== null && (await seeDevice(tx, { userId, digest: presented, now })))
        return { cookie: cookie!, mail: null };
      const isFirst = !(await hasDevices(tx, userId));
      // One value per browser serves all accounts that sign in from it; a value that the service never issued is replaced.
      const kept = presented !== null && (await isKnownDevice(tx, presented)) ? cookie! : randomToken();
      const token_hash = cookieDigest(kept)!;
      const row = { id: uuidV7(clock), user_id: userId, token_hash, created_at: now, last_seen_at: now };
      await insertKnownDevice(tx, row, maxDevices);
      const notice = { userId, kind: "sign_in.new_device", origin: { ...origin, user_id: userId } } as const;
      return { cookie: kept, mail: isFirst ? null : await record(tx, notice) };
    },
    async list(
      userId: string,
      { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
    ): Promise<SecurityHistoryPage> {
      const position = decodeCursor(cursor, ["instant", "string"]);
      const olderThan = position === null || !isUuid(position[1]) ? null : { at: position[0], id: position[1] };
      const rows = await listNotices(database.read, userId, { olderThan, limit: limit + 1 });
      const { items, next_cursor } = pageOf(rows, limit, (row) => encodeCursor([row.occurred_at, row.id]));
      return { items: items.map(publicNotice), next_cursor };
    },
    /** Resolves when all mails so far were sent or have failed. */
    async settled() {
      await Promise.all(sending);
    },
  };
}

export type SecurityHistory = ReturnType<typeof createSecurityHistory>;

const publicNotice = ({ user_id: _owner, ...row }: AccountNoticeRow): SecurityHistoryPage["items"][number] => ({
  ...row,
  kind: row.kind as NoticeKind,
  details: detailsOf(row),
});

function noticeMail(to: string, row: AccountNoticeRow, url: string): MailMessage {
  const { subject, says } = ruleOf(row.kind as NoticeKind);
  const time = `${row.occurred_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const where = row.source_ip === null ? "" : ` Address: ${row.source_ip}. Browser: ${browserName(row.user_agent)}.`;
  return {
    kind: "account_notice",
    to,
    subject,
    before: [says(detailsOf(row)), `Time: ${time}.${where}`],
    link: { label: "Review the security of your account", url },
    after: [
      "If this was you, you don't need to do anything.",
      "If it wasn't, change your password and revoke what you don't recognize, or ask your administrator for help.",
    ],
  };
}
