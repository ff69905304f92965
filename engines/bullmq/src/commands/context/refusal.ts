/** A command that cannot be carried out. The message is shown to operators: it holds no payload and no address. */
export class Refusal extends Error {
  /** What there is to tell beside it, in the form of the result of a success. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  /** Whether it took effect nobody knows. */
  readonly outcome: "unknown" | undefined;

  constructor(message: string, result?: Readonly<Record<string, unknown>>, outcome?: "unknown") {
    super(message);
    this.result = result;
    this.outcome = outcome;
  }
}
