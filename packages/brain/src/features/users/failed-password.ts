import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import type { Users } from "./users.ts";

export interface FailedPasswordDeps {
  readonly database: Pick<Database<Tables>, "write">;
  readonly clock: Pick<Clock, "now">;
  readonly audit: Pick<Audit, "append">;
  readonly users: Pick<Users, "noteFailure">;
  readonly settings: {
    readonly SVC_LOGIN_LOCKOUT_THRESHOLD: number;
    readonly SVC_LOGIN_LOCKOUT_DURATION_SECONDS: number;
  };
}

/** Counts a wrong password against the account's lock, with its audit row; `userId` null only writes the row. */
export async function noteFailedPassword(
  { database, clock, audit, users, settings }: FailedPasswordDeps,
  { userId, entry }: { userId: string | null; entry: Parameters<Audit["append"]>[1] },
): Promise<void> {
  const now = clock.now();
  await database.write(async (tx) => {
    if (userId !== null) {
      await users.noteFailure(tx, {
        id: userId,
        now,
        threshold: settings.SVC_LOGIN_LOCKOUT_THRESHOLD,
        lockedUntil: new Date(now.getTime() + settings.SVC_LOGIN_LOCKOUT_DURATION_SECONDS * 1000),
      });
    }
    await audit.append(tx, entry);
  });
}
