import type { BenchBrain } from "../harness/processes.ts";
import { quantile } from "../harness/quantile.ts";
import type { Query } from "./targets.ts";

/** What an answer held, as far as it is printed. */
export interface Answer {
  /** Null for what is no list of tasks. */
  readonly items: number | null;
  readonly isPartial: boolean;
}

export interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly answer: Answer;
}

/** Reads of a signed-in person, one after the other, each timed until its last byte. */
export interface Reader {
  tasks(query: Query): Promise<Timed>;
  /** `path` is below the project, or from the root of the API when it begins with `/`. */
  route(path: string, query: Query): Promise<Timed>;
  /** Three reads to warm up, then as many as were agreed, each made for its round. */
  time(read: (round: number) => Promise<Timed>, repeats?: number): Promise<Timing>;
}

interface Timed {
  readonly ms: number;
  readonly answer: Answer;
}

const warmUps = 3;

export function createReader(
  brain: BenchBrain,
  options: { readonly repeats: number; readonly signal: AbortSignal },
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
    async time(read, repeats = options.repeats) {
      for (let round = 0; round < Math.min(warmUps, repeats); round += 1) await read(round);
      const times: number[] = [];
      let answer: Answer = { items: null, isPartial: false };
      for (let round = 0; round < repeats; round += 1) {
        options.signal.throwIfAborted();
        const timed = await read(round);
        times.push(timed.ms);
        answer = timed.answer;
      }
      return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), answer };
    },
  };
}
