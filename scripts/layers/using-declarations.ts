import type { Pattern, Statement, VariableDeclarator } from "@swc/core";
import { Visitor } from "@swc/core/Visitor.js";

/**
 * Teaches the visitor on which the layer check rests to walk through `using` declarations, so that such a file is read instead of
 * ending the whole check.
 */
export function walkUsingDeclarations(): void {
  const { visitStatement, visitPattern } = Visitor.prototype;
  Visitor.prototype.visitStatement = function (statement: Statement): Statement {
    const declared = usedIn(statement);
    if (!declared) return visitStatement.call(this, statement);
    this.visitVariableDeclarators(declared);
    return statement;
  };
  // The left side of `for (using x of …)`.
  Visitor.prototype.visitPattern = function (pattern: Pattern): Pattern {
    const declared = usedIn(pattern);
    if (!declared) return visitPattern.call(this, pattern);
    this.visitVariableDeclarators(declared);
    return pattern;
  };
}

/** What `using x = …` declares; the parser gives such a node, and its own types do not know it. */
function usedIn(node: {
  readonly type: string;
  readonly decls?: VariableDeclarator[];
}): VariableDeclarator[] | undefined {
  return node.type === "UsingDeclaration" ? node.decls : undefined;
}
