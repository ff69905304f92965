import type { Pattern, Statement, VariableDeclarator } from "@swc/core";
import { Visitor } from "@swc/core/Visitor.js";

/**
 * Adds support for `using` declarations to the visitor of the layer check, so that such a file is read instead of ending the check.
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

/** The node of `using x = …`, which the parser returns but does not declare in its types. */
function usedIn(node: {
  readonly type: string;
  readonly decls?: VariableDeclarator[];
}): VariableDeclarator[] | undefined {
  return node.type === "UsingDeclaration" ? node.decls : undefined;
}
