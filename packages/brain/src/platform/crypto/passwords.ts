/** Password hashes: argon2id with the costs of the settings, in worker threads of the runtime, a few at a time. */
import { hash, parseOptions, verify } from "@node-rs/argon2";

export interface PasswordSettings {
  SVC_ARGON2_TIME_COST: number;
  SVC_ARGON2_MEMORY_COST: number;
  SVC_ARGON2_PARALLELISM: number;
}

export interface Passwords {
  /** The PHC string to store. */
  hash(password: string): Promise<string>;
  /**
   * Whether a password fits a stored hash. Without one (unknown account) the same work is done and the answer is false,
   * so that the time tells nothing. A stored text that is no hash fits nothing.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other costs than today's, so that it is made anew at the next sign-in. */
  isOutdated(stored: string): boolean;
}

/** Hashes at once: each takes SVC_ARGON2_MEMORY_COST KiB, which is 64 MiB by default. */
const maxAtOnce = 2;

export function createPasswords(settings: PasswordSettings): Passwords {
  const options = {
    timeCost: settings.SVC_ARGON2_TIME_COST,
    memoryCost: settings.SVC_ARGON2_MEMORY_COST,
    parallelism: settings.SVC_ARGON2_PARALLELISM,
  };
  const limited = createLimit(maxAtOnce);
  let nobody: Promise<string> | null = null;
  const hashNow = (password: string) => limited(() => hash(password, options));

  async function fits(stored: string, password: string): Promise<boolean> {
    try {
      return await limited(() => verify(stored, password));
    } catch {
      return false;
    }
  }

  return {
    hash: hashNow,
    async verify(stored, password) {
      if (stored !== null) return fits(stored, password);
      nobody ??= hashNow("nobody has this password");
      await fits(await nobody, password);
      return false;
    },
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

function createLimit(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (active >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
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
