/** Password hashes: argon2id with the costs of the settings, in separate threads, a few at a time. */
import { parseOptions } from "@node-rs/argon2";
import { createFairQueue, type FairQueueLimits } from "../coalescing/fair-queue.ts";
import { ApiError } from "../http/error-codes.ts";
import { inHashThread } from "./hash-threads.ts";

export interface PasswordSettings {
  SVC_ARGON2_TIME_COST: number;
  SVC_ARGON2_MEMORY_COST: number;
  SVC_ARGON2_PARALLELISM: number;
}

/**
 * Each hash takes SVC_ARGON2_MEMORY_COST KiB, 64 MiB by default. One source cannot use all slots. The queue holds a few seconds of work at
 * the default costs; more is refused.
 */
export const passwordLimits: FairQueueLimits = { atOnce: 2, perSource: 1, maxWaiting: 64 };

/** Remembered sources of recent correct passwords; they go before unknown ones. */
const maxKnownSources = 1000;

export function createPasswords(settings: PasswordSettings, limits = passwordLimits) {
  const options = {
    timeCost: settings.SVC_ARGON2_TIME_COST,
    memoryCost: settings.SVC_ARGON2_MEMORY_COST,
    parallelism: settings.SVC_ARGON2_PARALLELISM,
  };
  // The one whose password was right longest ago is first.
  const knownSources = new Set<string>();
  const inTurn = createFairQueue(
    limits,
    () => new ApiError("unready", { reason: "passwords_full" }, { headers: { "retry-after": "1" } }),
    (source) => knownSources.has(source),
  );

  function remember(source: string): void {
    knownSources.delete(source);
    knownSources.add(source);
    const [oldest] = knownSources;
    if (knownSources.size > maxKnownSources && oldest !== undefined) knownSources.delete(oldest);
  }

  const hash = (password: string) => inHashThread({ kind: "hash", password, options });
  let placeholder: string | null = null;

  return {
    /**
     * The PHC string to store. `source` says for whom the work is done: sources take turns, so that guesses from one network, or
     * by one signed-in user, do not keep others waiting (sourceOf).
     *
     * @throws ApiError `unready` (passwords_full) when too many wait.
     */
    hash: (password: string, source: string) => inTurn(source, () => hash(password)),
    /**
     * Whether a password fits a stored hash. Without one (unknown account) the same work is done and the answer is false,
     * so that timing reveals nothing. A stored text that is not a hash matches nothing.
     *
     * @throws ApiError `unready` (passwords_full) when too many wait, whatever was stored.
     */
    verify: (stored: string | null, password: string, source: string) =>
      inTurn(source, async () => {
        // Created at the first check for any account, so that the extra hash reveals nothing either.
        placeholder ??= await hash("no account has this password");
        const fits =
          (await inHashThread({ kind: "verify", stored: stored ?? placeholder, password })) && stored !== null;
        if (fits) remember(source);
        return fits;
      }),
    /** Whether a hash was made with other costs than the current ones and must be replaced at the next sign-in. */
    isOutdated(stored: string) {
      const made = parseOptions(stored);
      return (
        made.timeCost !== options.timeCost ||
        made.memoryCost !== options.memoryCost ||
        made.parallelism !== options.parallelism
      );
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
