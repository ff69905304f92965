import { isTransient } from "../errors.ts";

const retries = 3;
const delayMs = 100;

/** Does what may be done again up to three times more, 0.1 s apart, while the database fails for the moment. */
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
