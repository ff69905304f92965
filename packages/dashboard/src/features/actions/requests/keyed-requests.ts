import { ApiProblem } from "@svc/client";

/**
 * The requests of one dialog, each with its own idempotency key. A repeated request keeps its key, so the service returns the first result
 * instead of acting twice.
 */
export class KeyedRequests {
  readonly #keys = new Map<string, string>();
  /** Requests whose outcome is unknown. */
  readonly #lost = new Set<string>();

  get isAnyLost(): boolean {
    return this.#lost.size > 0;
  }

  async send<Body extends object, Made>(body: Body, ask: (body: Body & { idempotency_key: string }) => Promise<Made>) {
    const text = JSON.stringify(body);
    const key = this.#keys.get(text) ?? freshKey();
    this.#keys.set(text, key);
    try {
      const made = await ask({ ...body, idempotency_key: key });
      this.#lost.delete(text);
      return made;
    } catch (error) {
      if (isOutcomeUnknown(error)) this.#lost.add(text);
      else if (provesNotMade(error)) this.#lost.delete(text);
      throw error;
    }
  }
}

/** Not `crypto.randomUUID`, which exists only on a secure origin. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether the service may have carried out the request despite the error. */
const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof ApiProblem) ||
  error.code === "unreachable" ||
  error.status >= 500 ||
  (error.status > 0 && error.status < 400);

/** Whether a refusal proves that the request was not made before. The service returns all others before it checks the key. */
const provesNotMade = (error: unknown): boolean =>
  error instanceof ApiProblem &&
  (error.code === "validation_error" ||
    (error.code === "not_found" && error.details.resource === "agent") ||
    (error.code === "conflict" && error.details.reason === "overrides_required"));
