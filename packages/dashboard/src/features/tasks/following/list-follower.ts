import { isProblem, type TaskFilters } from "@svc/client";
import { createStore } from "../../../ui/store.ts";
import { type ListCounts, turnedToFailure } from "../filters/list-summary.ts";
import { matchesFilters } from "./filter-match.ts";
import { insertRows, isNewer, missingRows, patchRows, reachesTo, removeRows } from "./row-changes.ts";
import { createTailPace, slideMs } from "./tail-pace.ts";
import { type ListPage, type ListRow, type LoadedList, maximumRows, pageSize, rowsOf } from "./task-pages.ts";

// Keeps one loaded list true. Pushes name what changed, and their rows are put in place. After a gap (a poll, a push that
// only says "read again", a list that was left for a while) every loaded row is unsure until it was read once more: the
// newest page is read for what is new, and of the others only those in view, when they come into view. A row that the
// list's own filters no longer answer has changed or is gone, so it is read by itself.

export interface ListReads {
  /** A page of the list's filters, newest first, at or below `until`. */
  page(until: string | null): Promise<ListPage>;
  /** The row as it is now; null when there is no such task any more. */
  row(row: ListRow): Promise<ListRow | null>;
  isPaused(): boolean;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  onFailure(error: unknown): void;
}

/** Where the loaded list is kept; undefined while its first page is on its way. */
export interface ListCache {
  get(): LoadedList | undefined;
  /** It was read a moment ago, and nothing is pushed yet: once something is, every list is read again. */
  isJustRead(): boolean;
  change(change: (list: LoadedList) => LoadedList): void;
  /** Forgets the list and reads its first page. */
  restart(): void;
}

/** The counts are of new rows, and of rows that failed: listed ones and those that came so. */
export interface FollowerState extends ListCounts {
  /** Rows that arrived and are not in the list yet. */
  freshCount: number;
  /** There are more of them, so that showing them starts the list again from the top. */
  hasMore: boolean;
  /** Ids put into the list a moment ago. */
  justIn: ReadonlySet<string>;
  /** How often rows were put on top because the reader asked for them. */
  timesShown: number;
  /** Following paused by itself, as more tasks came than anybody can read. */
  isFlooded: boolean;
  /** Why the list could not be read again; null once it could. */
  failure: unknown;
}

/** At least this long between two renewals that are not asked for by a timer. */
const spacingMs = 2_000;
const retryMs = 5_000;
const tintMs = 700;
/** Rows that one renewal reads by themselves; the others in view follow with the next. */
const maximumSingles = 20;

export type ListFollower = ReturnType<typeof createListFollower>;

export function createListFollower(filters: TaskFilters, reads: ListReads, cache: ListCache) {
  const state = createStore<FollowerState>({
    freshCount: 0,
    hasMore: false,
    justIn: new Set(),
    timesShown: 0,
    isFlooded: false,
    failure: null,
    arrivedCount: 0,
    failedCount: 0,
  });
  const fresh = new Map<string, ListRow>();
  /** In the order in which they became unsure, so that each gets its turn. */
  const unsure = new Set<string>();
  /** What was pushed while reads were under way, null for removed: an answer may be older than it. */
  const told = new Map<string, ListRow | null>();
  /** What would have changed rows on the screen while the reader held them; null for removed. */
  const held = new Map<string, ListRow | null>();
  let isHeld = false;
  const pace = createTailPace(reads.now);
  let slide: ReturnType<typeof setTimeout> | undefined;
  let reading = 0;
  let inView = { first: 0, last: 0 };
  let follows = false;
  // Pushed before the first page came: that page may have been read before it. A list that was left is as old.
  let isOutrun = cache.get() !== undefined;
  let isStopped = false;
  let tint: ReturnType<typeof setTimeout> | undefined;

  /** Everything above the loaded rows is to be read anew, in place of them. */
  let isTopWanted = false;

  function publish(part: Partial<FollowerState> = {}): void {
    const now = state.get();
    // Rows on their way in are not announced first.
    const next = { ...now, freshCount: slide === undefined ? fresh.size : 0, ...part };
    const isChanged = (Object.keys(next) as (keyof FollowerState)[]).some((key) => next[key] !== now[key]);
    if (isChanged) state.set(next);
  }

  function insert(rows: ListRow[]): void {
    cache.change((list) => insertRows(list, rows));
    // One page alone that outgrew the memory: only starting again makes it small.
    if (rowsOf(cache.get()).length > maximumRows) startAgain();
    publish({ justIn: new Set(rows.map((row) => row.id)) });
    clearTimeout(tint);
    tint = setTimeout(() => publish({ justIn: new Set() }), tintMs);
  }

  function take(rows: readonly ListRow[]): void {
    const list = cache.get();
    if (!list || rows.length === 0) return;
    for (const row of rows) unsure.delete(row.id);
    const shown = rowsOf(list).map((row) => held.get(row.id) ?? row);
    const failed = turnedToFailure([...shown, ...fresh.values()], rows);
    patch(rows);
    for (const row of rows) {
      if (!isNewer(row, fresh.get(row.id) ?? row)) continue;
      if (matchesFilters(row, filters)) fresh.set(row.id, row);
      else fresh.delete(row.id);
    }
    const arrived = missingRows(list, rows).filter((row) => !fresh.has(row.id) && matchesFilters(row, filters));
    noteArrivals(arrived.length);
    const fits = !state.get().hasMore && fresh.size + arrived.length < pageSize;
    const goesIn = follows || (rowsOf(list).length === 0 && !isHeld);
    const freshBefore = fresh.size;
    if (goesIn && !fits) startAgain();
    else for (const row of arrived) if (fresh.size < pageSize) fresh.set(row.id, row);
    countNews([...fresh.values()].slice(freshBefore), failed);
    if (goesIn && fits && arrived.length > 0) slideIn();
    publish({ hasMore: !fits && !goesIn });
  }

  function noteArrivals(amount: number): void {
    if (!follows || amount === 0 || !pace.note(amount)) return;
    follows = false;
    publish({ isFlooded: true });
  }

  function countNews(arrived: readonly ListRow[], failed = 0): void {
    const { arrivedCount, failedCount } = state.get();
    const cameFailed = arrived.filter((row) => row.state === "failure").length;
    publish({ arrivedCount: arrivedCount + arrived.length, failedCount: failedCount + failed + cameFailed });
  }

  /** Puts what waits into the list, at once or when the last time is long enough ago. */
  function slideIn(): void {
    if (slide !== undefined) return;
    insert(takeFresh());
    slide = setTimeout(() => {
      slide = undefined;
      if (fresh.size > 0 && (follows || rowsOf(cache.get()).length === 0)) slideIn();
      else publish();
    }, slideMs);
  }

  function takeFresh(): ListRow[] {
    const rows = [...fresh.values()];
    fresh.clear();
    return rows;
  }

  const loadedIds = () => new Set(rowsOf(cache.get()).map((row) => row.id));

  function patch(rows: readonly ListRow[]): void {
    if (!isHeld) {
      cache.change((old) => patchRows(old, rows));
      return;
    }
    const loaded = loadedIds();
    for (const row of rows) {
      if (loaded.has(row.id) && isNewer(row, held.get(row.id) ?? { ...row })) held.set(row.id, row);
    }
  }

  function remove(ids: readonly string[]): void {
    // Only of loaded rows, so that what is held stays bounded however long the reader holds them.
    const loaded = isHeld ? loadedIds() : null;
    if (loaded) for (const id of ids.filter((one) => loaded.has(one))) held.set(id, null);
    else cache.change((list) => removeRows(list, ids));
    for (const id of ids) {
      fresh.delete(id);
      unsure.delete(id);
    }
    publish();
  }

  /** Runs a read and then applies once more what was pushed meanwhile. */
  async function during<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    reading += 1;
    try {
      return await read();
    } finally {
      reading -= 1;
      if (reading === 0) replay();
    }
  }

  function replay(): void {
    const pushed = [...told];
    told.clear();
    if (isStopped) return;
    take(pushed.flatMap(([, row]) => row ?? []));
    const gone = pushed.filter(([, row]) => row === null).map(([id]) => id);
    if (gone.length > 0) remove(gone);
  }

  const takeAnswer = (rows: readonly ListRow[]) => take(rows.filter((row) => !told.has(row.id)));

  function doubt(): void {
    const loaded = new Set([...loadedIds(), ...fresh.keys()]);
    for (const id of unsure) if (!loaded.has(id)) unsure.delete(id);
    for (const id of loaded) unsure.add(id);
  }

  function unsureInView(): ListRow[] {
    if (unsure.size === 0) return [];
    const shown = rowsOf(cache.get()).slice(inView.first, inView.last + 1);
    return shown.filter((row) => unsure.has(row.id));
  }

  async function renew(): Promise<void> {
    const before = new Map(fresh);
    const newest = await reads.page(null);
    const list = cache.get();
    if (isStopped || !list) return;
    const [top] = rowsOf(list);
    // Between the newest page and the top of the list there may be rows that neither holds.
    const hasHole = newest.next_cursor !== null && newest.items.length > 0 && !(top && reachesTo(newest, top));
    if (!isHeld && (isTopWanted || (hasHole && (follows || !top)))) startWith(newest);
    else {
      if (hasHole) publish({ hasMore: true });
      for (const [id, row] of before) {
        // Kept aside, unchanged since, and no longer among the newest: it left the filters, or is gone.
        const isAnswered = newest.items.some((item) => item.id === id);
        if (!isAnswered && fresh.get(id) === row && reachesTo(newest, row)) fresh.delete(id);
      }
      publish();
      takeAnswer(newest.items);
    }

    const [below] = unsureInView().filter((row) => !reachesTo(newest, row));
    if (below) takeAnswer((await reads.page(below.received_at)).items);
    if (isStopped) return;
    const waiting = new Map(unsureInView().map((row) => [row.id, row]));
    const singles = [...unsure].flatMap((id) => waiting.get(id) ?? []).slice(0, maximumSingles);
    await Promise.all(
      singles.map(async (row) => {
        const now = await reads.row(row);
        if (isStopped || told.has(row.id)) return;
        if (now) take([now]);
        else remove([row.id]);
      }),
    );
  }

  function startAgain(): void {
    isTopWanted = true;
    renewSoon();
  }

  function startWith(newest: ListPage): void {
    isTopWanted = false;
    const known = loadedIds();
    const arrived = newest.items.filter((row) => !known.has(row.id));
    noteArrivals(arrived.length);
    countNews(arrived.filter((row) => !fresh.has(row.id)));
    fresh.clear();
    unsure.clear();
    cache.change(() => ({ pages: [newest], pageParams: [null] }));
    publish({ hasMore: false });
  }

  const renewing = { isBusy: false, isWanted: false };
  let pause: ReturnType<typeof setTimeout> | undefined;

  function renewSoon(): void {
    if (isStopped || reads.isPaused() || !cache.get()) return;
    renewing.isWanted = true;
    if (!renewing.isBusy) void run();
  }

  async function run(): Promise<void> {
    renewing.isBusy = true;
    renewing.isWanted = false;
    let waitMs = spacingMs;
    try {
      await during(renew);
      publish({ failure: null });
    } catch (error) {
      if (isStopped) return;
      waitMs = Math.max(retryMs, isProblem(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0);
      renewing.isWanted = true;
      publish({ failure: error });
      reads.onFailure(error);
    }
    if (isStopped) return;
    pause = setTimeout(() => {
      pause = undefined;
      renewing.isBusy = false;
      if (renewing.isWanted || unsureInView().length > 0) renewSoon();
    }, waitMs);
  }

  function showFresh(): void {
    const rows = takeFresh();
    const { hasMore, timesShown } = state.get();
    publish({ hasMore: false, timesShown: timesShown + 1 });
    if (hasMore) cache.restart();
    else insert(rows);
    // Rows kept aside for long may have become unsure there.
    if (unsureInView().length > 0) renewSoon();
  }

  return {
    state,
    showFresh,
    during,
    /** What the hub pushed: rows as they are now, and ids of rows that are gone. */
    push(rows: readonly ListRow[], removed: readonly string[]): void {
      if (!cache.get()) isOutrun = true;
      if (reading > 0) {
        for (const row of rows) told.set(row.id, row);
        for (const id of removed) told.set(id, null);
      }
      if (removed.length > 0) remove(removed);
      // Whether a new row answers a search only the server knows: it may ask for what no push carries.
      const list = filters.q === undefined ? undefined : cache.get();
      const sure = list ? rows.filter((row) => missingRows(list, [row]).length === 0) : rows;
      take(sure);
      if (sure.length < rows.length) renewSoon();
    },
    /** Something may have changed that no push told. */
    doubtAll(): void {
      if (!cache.get()) isOutrun = true;
      doubt();
      renewSoon();
    },
    /** The list has its first page, or had it from before. */
    loaded(): void {
      if (!isOutrun) return;
      isOutrun = false;
      if (cache.isJustRead()) return;
      doubt();
      renewSoon();
    },
    /** Which rows are in view, by their place in the list. */
    look(first: number, last: number): void {
      inView = { first, last };
      if (unsureInView().length > 0) renewSoon();
    },
    /** Whether the reader holds the rows: nothing on the screen changes until they let go. */
    hold(isHolding: boolean): void {
      if (isHeld === isHolding) return;
      isHeld = isHolding;
      if (isHeld) return;
      const kept = [...held];
      held.clear();
      patch(kept.flatMap(([, row]) => row ?? []));
      const gone = kept.filter(([, row]) => row === null).map(([id]) => id);
      if (gone.length > 0) remove(gone);
      if (follows && fresh.size > 0) slideIn();
    },
    /** With it, new rows go in by themselves. */
    follow(isFollowing: boolean): void {
      follows = isFollowing;
      pace.reset();
      publish({ isFlooded: false });
      // Whoever scrolled away meanwhile keeps the list that is read.
      if (!follows) isTopWanted = false;
      if (follows && fresh.size > 0) showFresh();
    },
    /** Tries at once what failed. */
    retry(): void {
      if (pause !== undefined) {
        clearTimeout(pause);
        pause = undefined;
        renewing.isBusy = false;
      }
      renewSoon();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(pause);
      clearTimeout(tint);
      clearTimeout(slide);
    },
  };
}
