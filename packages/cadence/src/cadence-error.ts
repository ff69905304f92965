/** Why an expression or a time zone is refused; the API returns it as `details.reason`. */
export type CadenceFault =
  | "invalid_kind"
  | "invalid_cron"
  | "never_matches"
  | "invalid_interval"
  | "invalid_instant"
  | "invalid_solar"
  | "unknown_timezone";

/** An expression or time zone that is refused. The message is a sentence for the person who typed it. */
export class CadenceError extends Error {
  readonly reason: CadenceFault;
  /** The input that has to be changed. */
  readonly field: "kind" | "expression" | "timezone";

  constructor(reason: CadenceFault, message: string) {
    super(message);
    this.reason = reason;
    this.field = reason === "unknown_timezone" ? "timezone" : reason === "invalid_kind" ? "kind" : "expression";
  }
}
