import type { ServerWritableStream } from "@grpc/grpc-js";
import type { ScheduleChangeMessage, WatchFrame, WatchRequest } from "@svc/protocol";
import { isTransient } from "../../../platform/database/errors.ts";
import type { BrainDatabase, ScheduleRow } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";
import type { Caller } from "../access/caller.ts";
import { scheduleMessage } from "../calls/messages.ts";
import { readProjectIds, readRevision } from "../calls/requests.ts";
import type { ChangeSignal, ServerState } from "./change-signal.ts";
import { StreamClosed, send } from "./send.ts";
import { type Change, hasSchedules, readChanges, readSchedules } from "./stream-reads.ts";

/** Changes read at once. */
const changesPerRead = 500;
/** Rows that are in memory at once for one stream. A row has up to 128 KiB of arguments. */
const rowsPerRead = 16;

export interface WatchDeps {
  readonly database: Pick<BrainDatabase, "read">;
  readonly signal: Pick<ChangeSignal, "subscribe">;
  /** Ends the stream when it is aborted. */
  readonly stopping: AbortSignal;
  /** A read failed; the stream continues with the next state. */
  readonly onError: (error: unknown) => void;
}

type Call = ServerWritableStream<WatchRequest, WatchFrame>;

/**
 * Sends the changes after a revision in order, and after each scan how far it has come. Ends after a gap.
 *
 * @throws CallRefusal `invalid`; as `send`; the reason of `stopping`.
 */
export async function sendChanges(call: Call, { slugs }: Pick<Caller, "slugs">, deps: WatchDeps): Promise<void> {
  const { database, signal, stopping, onError } = deps;
  const requested = readProjectIds(call.request.project_ids);
  let cursor = readRevision("after_revision", call.request.after_revision);
  let visible: ReadonlySet<string> | null = null;

  /** @returns false after a gap */
  async function scan(state: ServerState): Promise<boolean> {
    const before = visible;
    const now = new Set<string>();
    for (const [id, { slug }] of state.projects)
      if ((slugs?.has(slug) ?? true) && (requested?.has(id) ?? true)) now.add(id);
    // The client has seen a newer state, as of a database that was since restored.
    if (cursor > state.revision) return false;
    if (before !== null && (await isOtherView(database, { before, now, cursor }))) return false;
    visible = now;
    while (cursor < state.revision) {
      const changes = await readChanges(database.read, {
        after: cursor,
        through: state.revision,
        limit: changesPerRead,
      });
      for (let at = 0; at < changes.length; at += rowsPerRead) {
        const part = changes.slice(at, at + rowsPerRead);
        const rows = await readSchedules(database.read, part.filter((each) => isUpsert(each, now)).map(scheduleIdOf));
        for (const change of part) {
          // Revisions have no holes, so one that is missing has been pruned.
          if (change.revision !== cursor + 1) return false;
          const isVisible = now.has(change.project_id);
          if (isVisible && change.change_kind !== "upsert" && change.change_kind !== "delete") return false;
          const message = isVisible ? changeMessage(change, rows.get(change.schedule_id), state) : null;
          if (message !== null) await send(call, { change: message });
          cursor = change.revision;
        }
      }
      if (changes.length === 0) return false;
    }
    await send(call, { scanned_through: { revision: cursor, server_revision: state.revision } });
    return true;
  }

  for await (const state of states(call, signal, stopping)) {
    try {
      if (!(await scan(state))) return await send(call, { gap: {} });
    } catch (error) {
      // The client notices by the time of the last frame when this persists.
      if (!isTransient(error)) throw error;
      onError(error);
    }
  }
}

/** The newest state each time there is one. @throws StreamClosed; the reason of `stopping` */
async function* states(call: Call, signal: WatchDeps["signal"], stopping: AbortSignal): AsyncGenerator<ServerState> {
  const waiting: { state: ServerState | null; wake: () => void } = { state: null, wake() {} };
  const wake = () => waiting.wake();
  const unsubscribe = signal.subscribe((state) => {
    waiting.state = state;
    wake();
  });
  call.once("close", wake);
  call.once("cancelled", wake);
  stopping.addEventListener("abort", wake);
  try {
    for (;;) {
      stopping.throwIfAborted();
      if (call.cancelled || call.destroyed) throw new StreamClosed();
      const { state } = waiting;
      if (state === null) {
        await new Promise<void>((resolve) => {
          waiting.wake = resolve;
        });
        continue;
      }
      waiting.state = null;
      yield state;
    }
  } finally {
    unsubscribe();
    call.off("close", wake);
    call.off("cancelled", wake);
    stopping.removeEventListener("abort", wake);
  }
}

/** More projects than this in one change of the view cause a gap without a query. */
const maxChangedProjects = 500;

/**
 * Whether projects with schedules that the client knows, or should know by now, have entered or left its view: a project was renamed in or
 * out of a binding.
 */
async function isOtherView(
  database: WatchDeps["database"],
  { before, now, cursor }: { before: ReadonlySet<string>; now: ReadonlySet<string>; cursor: number },
): Promise<boolean> {
  const changed = [...now].filter((id) => !before.has(id)).concat([...before].filter((id) => !now.has(id)));
  return changed.length > maxChangedProjects || hasSchedules(database.read, changed, cursor);
}

const isUpsert = (change: Change, visible: ReadonlySet<string>): boolean =>
  change.change_kind === "upsert" && visible.has(change.project_id);

const scheduleIdOf = (change: Change): string => change.schedule_id;

/** Null for a schedule that another scheduler fires. */
function changeMessage(
  change: Change,
  row: ScheduleRow | undefined,
  { projects }: ServerState,
): ScheduleChangeMessage | null {
  const about = { revision: change.revision, project_id: change.project_id, schedule_id: change.schedule_id };
  const isActive = projects.get(change.project_id)?.is_active === true;
  // Without a row, the schedule was deleted after this change.
  if (change.change_kind === "delete" || row === undefined || !isActive)
    return { ...about, kind: "TOMBSTONE", schedule: null };
  if (row.scheduler !== ownScheduler) return null;
  return { ...about, kind: "UPSERT", schedule: scheduleMessage(row) };
}
