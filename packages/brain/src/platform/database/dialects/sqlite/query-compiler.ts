import { type RawNode, type SelectModifierNode, SqliteQueryCompiler } from "kysely";
import type { DialectNode } from "../by-dialect.ts";

/** Writes statements for the embedded database: expressions in its own form, and no row locks. */
export class EmbeddedQueryCompiler extends SqliteQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const { onSqlite } = node as DialectNode;
    if (onSqlite === undefined) super.visitRaw(node);
    else this.visitNode(onSqlite);
  }

  /** The single writer is the lock of every row. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || node.modifier === "Distinct") super.visitSelectModifier(node);
  }
}
