/** Browsers that a user chose to trust: their cookie makes the code at sign-in unnecessary, and nothing else. */

import { browserName } from "@svc/client/browser-name";
import { randomToken } from "@svc/protocol";
import { cookieDigest } from "../../../platform/crypto/digests.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { days } from "../../../platform/durations.ts";
import type { SessionActor } from "../../../platform/http/access/actor.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { Tables, TrustedDeviceRow } from "../../../schema/tables/index.ts";
import type { AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { MfaDeps } from "../deps.ts";
import { requireEnrolled } from "../factor/check-code.ts";
import type { TrustedDevice } from "../schemas.ts";
import { lockFactor } from "../store.ts";
import {
  deleteDeviceByDigest,
  deleteOldestDevices,
  findDevice,
  insertTrustedDevice,
  listDevices,
  renameDevice,
  revokeDevice,
} from "./trusted-devices-store.ts";

export interface TrustRequest {
  readonly userId: string;
  /** Default: derived from the user agent. */
  readonly label?: string | undefined;
  /** The trusted-device cookie sent with the request: the new device replaces its device. */
  readonly trustCookie: string | undefined;
  readonly origin: AuditOrigin;
}

export interface NewDevice {
  readonly device: TrustedDevice;
  /** For the browser only; never stored or logged. */
  readonly cookie: string;
  /** Lifetime of the cookie in seconds. */
  readonly keepSeconds: number;
}

/** Creates a trusted device in the transaction of a caller that holds the lock of the user's factor. */
export async function trustDevice(
  tx: Tx<Tables>,
  { clock, settings, history }: Pick<MfaDeps, "clock" | "settings" | "history">,
  { userId, label, trustCookie, origin }: TrustRequest,
): Promise<{ device: NewDevice; auditEntry: AuditEntry }> {
  const now = clock.now();
  const cookie = randomToken();
  const keepSeconds = days(settings.SVC_MFA_REMEMBER_DEVICE_DAYS) / 1000;
  const row: TrustedDeviceRow = {
    id: uuidV7(clock),
    user_id: userId,
    token_hash: cookieDigest(cookie)!,
    label: label ?? browserName(origin.user_agent),
    created_at: now,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + keepSeconds * 1000),
    revoked_at: null,
  };
  const before = cookieDigest(trustCookie);
  if (before !== null) await deleteDeviceByDigest(tx, userId, before);
  await deleteOldestDevices(tx, userId, { keep: settings.SVC_MFA_TRUSTED_DEVICES_MAX_PER_USER - 1, now });
  await insertTrustedDevice(tx, row);
  const notice = { userId, kind: "device.trusted", origin, details: { name: row.label } } as const;
  await history.record(tx, notice);
  return {
    device: { device: publicDevice(row, row.token_hash), cookie, keepSeconds },
    auditEntry: deviceEntry("user.mfa_device_trusted", row.id, origin),
  };
}

/** Operations on a user's own devices. */
export function createTrustedDevices(deps: MfaDeps) {
  const { database, clock, audit } = deps;

  /** The device to change. @throws ApiError `not_found` */
  async function deviceOf(tx: Tx<Tables>, actor: SessionActor, id: string): Promise<TrustedDeviceRow> {
    const row = await findDevice(tx, { userId: actor.user.id, id: id.toLowerCase(), now: clock.now() });
    if (row === undefined) throw unknownDevice();
    return row;
  }

  return {
    async list(actor: SessionActor, trustCookie: string | undefined): Promise<TrustedDevice[]> {
      const rows = await listDevices(database.read, actor.user.id, clock.now());
      const digest = cookieDigest(trustCookie);
      return rows.map((row) => publicDevice(row, digest));
    },
    /** @throws ApiError `conflict` (not_enrolled): without a second factor there is no code to skip. */
    trust: (request: TrustRequest): Promise<NewDevice> =>
      database.write(async (tx) => {
        requireEnrolled(await lockFactor(tx, request.userId));
        const { device, auditEntry } = await trustDevice(tx, deps, request);
        await audit.append(tx, auditEntry);
        return device;
      }),
    /** @throws ApiError `not_found` */
    rename: (
      actor: SessionActor,
      {
        id,
        label,
        trustCookie,
        origin,
      }: { id: string; label: string; trustCookie: string | undefined; origin: AuditOrigin },
    ): Promise<TrustedDevice> =>
      database.write(async (tx) => {
        const row = await deviceOf(tx, actor, id);
        if (!(await renameDevice(tx, row.id, label))) throw unknownDevice();
        await audit.append(tx, deviceEntry("user.mfa_device_renamed", row.id, origin));
        return publicDevice({ ...row, label }, cookieDigest(trustCookie));
      }),
    /** @returns whether it is the device of this cookie. @throws ApiError `not_found` */
    revoke: (
      actor: SessionActor,
      { id, trustCookie, origin }: { id: string; trustCookie: string | undefined; origin: AuditOrigin },
    ): Promise<boolean> =>
      database.write(async (tx) => {
        const row = await deviceOf(tx, actor, id);
        if (!(await revokeDevice(tx, row.id, clock.now()))) throw unknownDevice();
        await audit.append(tx, deviceEntry("user.mfa_device_revoked", row.id, origin));
        return row.token_hash === cookieDigest(trustCookie);
      }),
  };
}

const unknownDevice = () => new ApiError("not_found", { resource: "trusted_device" });

const deviceEntry = (action: string, id: string, origin: AuditOrigin): AuditEntry => ({
  action,
  target_type: "trusted_device",
  target_id: id,
  ...origin,
});

const publicDevice = (
  { user_id: _owner, token_hash, ...row }: TrustedDeviceRow,
  presented: string | null,
): TrustedDevice => ({ ...row, is_current: row.revoked_at === null && token_hash === presented });
