/** Spec part 3, section 13. */
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

/** Ends a command with one line on stderr and its exit code. The message never holds a secret. */
export class CliError extends Error {
  readonly exit: ExitName;
  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}
