import { entryOf, failed, readInfo } from "./read-info.ts";
import type { SchedulerEntry, SchedulerList } from "./schemas.ts";

export interface SchedulersDeps {
  readonly settings: { readonly SVC_SCHEDULER_INFO_URLS: readonly string[] };
  /** The scheduler inside this process; null when there is none. */
  readonly embedded: () => {
    readonly address: { readonly host: string; readonly port: number } | null;
    readonly info: unknown;
    readonly error: string | null;
  } | null;
}

/** The schedulers that this service knows of. */
export function createSchedulers({ settings, embedded }: SchedulersDeps) {
  /** One reading for all who ask while it runs. */
  let reading: Promise<SchedulerEntry[]> | null = null;

  function embeddedEntries(): SchedulerEntry[] {
    const state = embedded();
    if (state === null) return [];
    const { address, info, error } = state;
    if (address === null) return [failed("embedded", error ?? "it does not run")];
    const host = address.host.includes(":") ? `[${address.host}]` : address.host;
    return [entryOf(`http://${host}:${address.port}`, info)];
  }

  return {
    /** Asks all of them at once. */
    async list(): Promise<SchedulerList> {
      reading ??= Promise.all(settings.SVC_SCHEDULER_INFO_URLS.map((url) => readInfo(url))).finally(() => {
        reading = null;
      });
      const schedulers = [...embeddedEntries(), ...(await reading)];
      return { schedulers, total: schedulers.length, healthy: schedulers.filter(({ ok }) => ok).length };
    },
  };
}

export type Schedulers = ReturnType<typeof createSchedulers>;
