// Both databases give rows the same JavaScript types. PostgreSQL knows instants and booleans itself; SQLite keeps them as integers
// (microseconds since the epoch; 0 and 1), so its rows are converted by column name. A test compares these rules with the real schema.

/** Columns of a schema that hold an instant or a boolean though their names do not say so. */
export interface NamedColumns {
  readonly instants: ReadonlySet<string>;
  readonly booleans: ReadonlySet<string>;
}

/** Whether a result column of this name holds an instant. */
export const isInstantColumn = (name: string, { instants }: NamedColumns): boolean =>
  /_(at|since|until)$/.test(name) || instants.has(name);

/** Whether a result column of this name holds a boolean. */
export const isBooleanColumn = (name: string, { booleans }: NamedColumns): boolean =>
  name.startsWith("is_") || booleans.has(name);

export const toMicros = (instant: Date): number => instant.getTime() * 1000;

export const fromMicros = (micros: number): Date => new Date(Math.floor(micros / 1000));

/** Values as node:sqlite takes them. */
export function toSqliteValue(value: unknown): null | number | bigint | string | Uint8Array {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return toMicros(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} cannot be a database value`);
}

/** Converts instants and booleans of SQLite rows in place, by column name. */
export function restoreRows(rows: Record<string, unknown>[], named: NamedColumns): Record<string, unknown>[] {
  const first = rows[0];
  if (first === undefined) return rows;
  const names = Object.keys(first);
  const instants = names.filter((name) => isInstantColumn(name, named));
  const booleans = names.filter((name) => isBooleanColumn(name, named));
  if (instants.length === 0 && booleans.length === 0) return rows;
  for (const row of rows) {
    for (const name of instants) {
      const value = row[name];
      if (typeof value === "number") row[name] = fromMicros(value);
    }
    for (const name of booleans) {
      const value = row[name];
      if (value !== null) row[name] = value === 1;
    }
  }
  return rows;
}
