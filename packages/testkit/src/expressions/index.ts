export { type Expression, expressionsOf, type FileExpressions, productionFiles } from "./find.ts";
export { growthOf, mostGrowth } from "./growth.ts";
export { growthOfExpression, growthOfReader } from "./growth-of-expression.ts";
