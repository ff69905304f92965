/** Where a command writes. Results go to `out`, everything said to a person beside them to `err`; both end the line. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
}

/** One command in a file of its own, which is loaded only when the command is run. */
export interface Command {
  /** What follows `svc` on each usage line, for example `version [--json]`. */
  readonly usage: readonly string[];
  /** The options, one line each, and what else the reader of `--help` needs. */
  readonly details?: readonly string[];
  /**
   * Does the work and gives the exit code; a service resolves when it has drained.
   *
   * @throws CliError for every refusal; anything else ends with exit code 1.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** A line of the command table. */
export interface CommandEntry {
  readonly name: string;
  /** One line for `svc help`. */
  readonly summary: string;
  load(): Promise<Command>;
}
