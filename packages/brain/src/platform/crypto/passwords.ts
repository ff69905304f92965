/** Password hashes: argon2id with the costs of the settings, in worker threads of the runtime, a few at a time. */
import { hash, parseOptions, verify } from "@node-rs/argon2";
import { ApiError } from "../http/error-codes.ts";

export interface PasswordSettings {
  SVC_ARGON2_TIME_COST: number;
  SVC_ARGON2_MEMORY_COST: number;
  SVC_ARGON2_PARALLELISM: number;
}

export interface Passwords {
  /** The PHC string to store. @throws ApiError `unready` (passwords_full) when too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password fits a stored hash. Without one (unknown account) the same work is done and the answer is false,
   * so that the time tells nothing. A stored text that is no hash fits nothing.
   *
   * @throws ApiError `unready` (passwords_full) when too many wait, whatever was stored.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other costs than today's, so that it is made anew at the next sign-in. */
  isOutdated(stored: string): boolean;
}

export interface PasswordLimits {
  /** Hashes at once: each takes SVC_ARGON2_MEMORY_COST KiB, which is 64 MiB by default. */
  readonly atOnce: number;
  /** Hashes that wait for their turn, a few seconds of work at the default costs; more are refused. */
  readonly maxWaiting: number;
}

export const passwordLimits: PasswordLimits = { atOnce: 2, maxWaiting: 64 };

export function createPasswords(settings: PasswordSettings, limits = passwordLimits): Passwords {
  const options = {
    timeCost: settings.SVC_ARGON2_TIME_COST,
    memoryCost: settings.SVC_ARGON2_MEMORY_COST,
    parallelism: settings.SVC_ARGON2_PARALLELISM,
  };
  const inTurn = createLimit(limits);
  let nobody: string | null = null;

  return {
    hash: (password) => inTurn(() => hash(password, options)),
    verify: (stored, password) =>
      inTurn(async () => {
        try {
          // Made at the first check, whomever it is about: one more hash then tells nothing either.
          nobody ??= await hash("nobody has this password", options);
          return (await verify(stored ?? nobody, password)) && stored !== null;
        } catch {
          return false;
        }
      }),
    isOutdated(stored) {
      const made = parseOptions(stored);
      return (
        made.timeCost !== options.timeCost ||
        made.memoryCost !== options.memoryCost ||
        made.parallelism !== options.parallelism
      );
    },
  };
}

function createLimit({ atOnce, maxWaiting }: PasswordLimits): <T>(work: () => Promise<T>) => Promise<T> {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (active < atOnce) active += 1;
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new ApiError("unready", { reason: "passwords_full" }, { headers: { "retry-after": "1" } });
    try {
      return await work();
    } finally {
      // The slot passes to the next in line without becoming free in between.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
