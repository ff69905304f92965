import { isTransient } from "../errors.ts";

/**
 * Writes rows together and, when that fails permanently, one by one, so that a bad row costs only itself. `dropped` hears of each row
 * that cannot be written.
 *
 * @throws the error of a write that may succeed when it is tried again.
 */
export async function writeOrSplit<Row, Written>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<readonly Written[]>,
  dropped: (error: unknown, row: Row) => void,
): Promise<Written[]> {
  try {
    return [...(await write(rows))];
  } catch (error) {
    if (isTransient(error)) throw error;
    const [only] = rows;
    if (only === undefined) return [];
    if (rows.length === 1) {
      dropped(error, only);
      return [];
    }
  }
  const written: Written[] = [];
  for (const row of rows) written.push(...(await writeOrSplit([row], write, dropped)));
  return written;
}
