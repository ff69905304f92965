import type { BenchBrain } from "../harness/processes.ts";
import { quantile } from "../harness/quantile.ts";
import type { Query } from "./targets.ts";

/** The printed facts about an answer. */
export interface Answer {
  /** Null for an answer that is not a task list. */
  readonly items: number | null;
  readonly isPartial: boolean;
}

export interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly answer: Answer;
}

/** Creates the read of a round. */
export type Read = (round: number) => Promise<Timed>;

/** Reads of a signed-in user, one after the other, each timed until its last byte. */
export interface Reader {
  tasks(query: Query): Promise<Timed>;
  /** `path` is below the project, or from the API's root when it begins with `/`. */
  route(path: string, query: Query): Promise<Timed>;
  /** Three reads to warm up, then the timed ones. */
  time(read: Read, options?: TimeOptions): Promise<Timing>;
}

/** The number of timed reads. */
export interface Repeats {
  readonly first: number;
  /** The p95 of few reads is the slowest one. If that exceeds the limit, this many reads are timed instead. */
  readonly most: number;
}

interface TimeOptions {
  readonly repeats?: Repeats;
  /** Whether the first reads are enough because they are within the limit; default: always. */
  readonly suffices?: (timing: Timing) => boolean;
}

interface Timed {
  readonly ms: number;
  readonly answer: Answer;
}

const warmUps = 3;

export function createReader(
  brain: BenchBrain,
  options: { readonly repeats: Repeats; readonly signal: AbortSignal },
): Reader {
  const { url, slug, root } = brain;

  async function get(path: string, query: Query): Promise<{ ms: number; body: Record<string, unknown> }> {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/v1${path}?${new URLSearchParams(query)}`, {
      headers: { cookie: root.cookie },
    });
    const text = await response.text();
    const ms = performance.now() - startedAt;
    if (!response.ok) {
      throw new Error(`${path} ${JSON.stringify(query)} answered ${response.status}: ${text.slice(0, 200)}`);
    }
    return { ms, body: JSON.parse(text) };
  }

  return {
    async tasks(query) {
      const { ms, body } = await get(`/projects/${slug}/tasks`, { ...query, limit: "50" });
      return { ms, answer: { items: (body.items as unknown[]).length, isPartial: body.partial !== undefined } };
    },
    async route(path, query) {
      const { ms } = await get(path.startsWith("/") ? path : `/projects/${slug}/${path}`, query);
      return { ms, answer: { items: null, isPartial: false } };
    },
    async time(read, { repeats: { first, most } = options.repeats, suffices = () => true } = {}) {
      for (let round = 0; round < Math.min(warmUps, first); round += 1) await read(round);
      const times: number[] = [];
      let answer: Answer = { items: null, isPartial: false };
      const readUntil = async (count: number): Promise<Timing> => {
        while (times.length < count) {
          options.signal.throwIfAborted();
          const timed = await read(times.length);
          times.push(timed.ms);
          answer = timed.answer;
        }
        return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), answer };
      };
      const timing = await readUntil(first);
      return suffices(timing) ? timing : readUntil(most);
    },
  };
}
