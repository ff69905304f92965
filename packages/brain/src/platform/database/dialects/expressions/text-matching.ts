import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Whether a text contains `needle` literally and case-sensitively, without wildcards. */
export const holdsText = (text: RawBuilder<unknown>, needle: string): RawBuilder<boolean> =>
  byDialect({ postgres: sql`(strpos(${text}, ${needle}) > 0)`, sqlite: sql`(instr(${text}, ${needle}) > 0)` });

/**
 * Whether a text contains `needle`, which is in lower case, ignoring case. Both databases follow JavaScript's case rules: their own lower()
 * is used for ASCII only. Other texts are folded by the program on the embedded database; on the server database `isStoredWith` queries
 * text that was folded when it was written.
 */
export const holdsFolded = (
  text: RawBuilder<unknown>,
  needle: string,
  isStoredWith: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`CASE WHEN octet_length(${text}) = length(${text}) THEN ${holdsText(sql`lower(${text})`, needle)}
    ELSE ${byDialect({ postgres: isStoredWith, sqlite: holdsText(sql`fold_case(${text})`, needle) })} END`;

/** Whether a text consists of these parts in order, case-sensitively, with anything or nothing between them. */
export const hasParts = (text: RawBuilder<unknown>, parts: readonly string[]): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`${text} LIKE ${parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}`,
    sqlite: sql`${text} GLOB ${parts.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*")}`,
  });

/**
 * The text folded to lower case as far as `part` needs, which is in lower case and has only characters that the databases can fold: ASCII by
 * lower(), and the two others whose lower case is ASCII, or begins with it, explicitly.
 */
export function foldedFor(text: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const lower = part === part.toUpperCase() ? text : sql`lower(${text})`;
  const kelvin = part.includes("k") ? sql`replace(${lower}, ${"\u212a"}, 'k')` : lower;
  return part.includes("i") ? sql`replace(${kelvin}, ${"\u0130"}, ${"i\u0307"})` : kelvin;
}
