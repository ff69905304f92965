import { createHash, type Hash, hash } from "node:crypto";
import { idNamespaces, uuidV5 } from "../ids.ts";
import { canonicalText } from "../json/canonical.ts";

/** What a scheduler fires: the definition without names, owner and state. */
export interface ScheduleDefinition {
  readonly args: unknown;
  readonly catch_up: string;
  readonly engine: string;
  readonly expression: string;
  readonly kind: string;
  readonly kwargs: unknown;
  readonly overlap_policy: string;
  readonly priority: string;
  readonly queue: string | null;
  readonly task_name: string;
  readonly timezone: string;
}

/** SHA-256 of the canonical definition, in hexadecimal. */
export function definitionDigest(given: ScheduleDefinition): string {
  const { args, catch_up, engine, expression, kind, kwargs, overlap_policy, priority, queue, task_name, timezone } =
    given;
  return hash(
    "sha256",
    canonicalText({
      args,
      catch_up,
      engine,
      expression,
      kind,
      kwargs,
      overlap_policy,
      priority,
      queue,
      task_name,
      timezone,
    }),
  );
}

/** The id of the fire of a slot. Schedulers that fire the same slot of the same version derive the same id. */
export const fireIdOf = (scheduleId: string, scheduledFor: Date, controlToken: string): string =>
  uuidV5(idNamespaces.fire, canonicalText([scheduleId, scheduledFor.toISOString(), controlToken]));

/** A schedule as the digest of a snapshot counts it. */
export interface DigestedSchedule {
  readonly id: string;
  readonly controlToken: string;
  readonly revision: number;
  readonly definitionDigest: string;
  readonly nextRunAt: Date | null;
}

/** SHA-256 over a snapshot; schedules are added by ascending id. */
export class SnapshotDigest {
  readonly #hash: Hash = createHash("sha256");

  add({ id, controlToken, revision, definitionDigest: digest, nextRunAt }: DigestedSchedule): void {
    this.#hash.update(`${canonicalText([id, controlToken, revision, digest, nextRunAt?.toISOString() ?? null])}\n`);
  }

  /** In hexadecimal. Can be called once. */
  end(): string {
    return this.#hash.digest("hex");
  }
}
