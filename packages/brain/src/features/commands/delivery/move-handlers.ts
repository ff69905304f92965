import type { Tx } from "../../../platform/database/database.ts";
import type { CommandRow, Tables } from "../../../schema/tables/index.ts";
import type { CommandMove } from "../states.ts";

/** Commands of one action that made the same move, other than by a result of their agent. */
export interface MovedCommands {
  readonly move: CommandMove;
  readonly commands: readonly Pick<CommandRow, "id" | "action" | "idempotency_key">[];
  /** Why, where the move ends them. */
  readonly error: string | null;
  readonly now: Date;
}

/** Runs in the transaction that moves the commands. */
export type MoveHandler = (tx: Tx<Tables>, moved: MovedCommands) => Promise<void>;

/** Handlers of moves, by action. */
export function createMoveHandlers() {
  const handlers = new Map<string, MoveHandler[]>();
  return {
    /** Calls `handle` when commands of the action are claimed, expire, are cancelled or can't be signed. */
    on(action: string, handle: MoveHandler): void {
      handlers.set(action, [...(handlers.get(action) ?? []), handle]);
    },
    async run(tx: Tx<Tables>, { commands, ...moved }: MovedCommands): Promise<void> {
      for (const [action, handling] of handlers) {
        const own = commands.filter((command) => command.action === action);
        if (own.length === 0) continue;
        for (const handle of handling) await handle(tx, { ...moved, commands: own });
      }
    },
  };
}

export type MoveHandlers = ReturnType<typeof createMoveHandlers>;
