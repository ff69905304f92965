import { ApiProblem } from "@svc/client";

/**
 * The requests of one dialog, each under a key of its own: the same one again is the same for the service, which gives what it made of it
 * before.
 */
export class KeyedRequests {
  readonly #keys = new Map<string, string>();
  /** Those of which nobody knows what became of them. */
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
      else if (wasLookedUp(error)) this.#lost.delete(text);
      throw error;
    }
  }
}

/** crypto.randomUUID is only there on a secure origin. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether the service may have done what it was asked for, though no good answer came. */
const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof ApiProblem) ||
  error.code === "unreachable" ||
  error.status >= 500 ||
  (error.status > 0 && error.status < 400);

/** A refusal that comes only where the same request was not made before; all others are made without a look at its key. */
const wasLookedUp = (error: unknown): boolean =>
  error instanceof ApiProblem &&
  (error.code === "validation_error" ||
    (error.code === "not_found" && error.details.resource === "agent") ||
    (error.code === "conflict" && error.details.reason === "overrides_required"));
