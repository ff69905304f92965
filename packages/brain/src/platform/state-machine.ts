/** A state machine as data: for each state, the moves that it allows and the state that each leads to. */
export type Moves = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type StateOf<Table extends Moves> = keyof Table & string;
export type MoveOf<Table extends Moves> = { [State in keyof Table]: keyof Table[State] }[keyof Table] & string;

/**
 * The table in the form that conditional updates need: the states they match, and the state they set.
 *
 * @throws RangeError when a move leads to different states from different ones.
 */
export function createStateMachine<const Table extends Moves>(moves: Table) {
  const states = Object.keys(moves) as StateOf<Table>[];
  const byMove = new Map<string, { readonly to: StateOf<Table>; readonly from: StateOf<Table>[] }>();
  for (const state of states) {
    for (const [move, to] of Object.entries(moves[state] ?? {})) {
      const known = byMove.get(move) ?? { to: to as StateOf<Table>, from: [] };
      if (known.to !== to) throw new RangeError(`${move} leads to ${known.to} and to ${to}`);
      known.from.push(state);
      byMove.set(move, known);
    }
  }
  const moveOf = (move: string) => {
    const found = byMove.get(move);
    if (found === undefined) throw new RangeError(`no state has the move ${move}`);
    return found;
  };
  const isFinal = (state: StateOf<Table>) => Object.keys(moves[state] ?? {}).length === 0;
  return {
    /** The states in which a move may be made, in the order of the table. */
    from: (move: MoveOf<Table>) => moveOf(move).from,
    /** The state that a move leads to, whichever it was made in. */
    to: (move: MoveOf<Table>) => moveOf(move).to,
    /** Where a move leads from this state; null where it may not be made. */
    next: (state: string, move: MoveOf<Table>) =>
      moveOf(move).from.some((from) => from === state) ? moveOf(move).to : null,
    /** The states that no move leaves, and those that some do. */
    final: states.filter(isFinal),
    open: states.filter((state) => !isFinal(state)),
  };
}
