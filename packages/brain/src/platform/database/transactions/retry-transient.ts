import { isTransient } from "../errors.ts";

const retries = 3;
const delayMs = 100;

/** Retries idempotent work up to three times, 0.1 s apart, while the database has transient errors. */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || attempt === retries) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
