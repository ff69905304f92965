/** Exit codes, as listed in docs/reference/cli.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  unreachable: 4,
  notFound: 5,
  refused: 6,
  interrupted: 130,
} as const;

export type ExitName = Exclude<keyof typeof exitCodes, "done">;

/** Ends a command with its exit code and one line on stderr. The message never contains a secret. */
export class CliError extends Error {
  readonly exit: ExitName;
  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}
