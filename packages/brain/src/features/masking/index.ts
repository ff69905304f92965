export { createMasking, type Masking } from "./mask.ts";
export { createResolver, isMasked, type NameKind, type Resolver, withNames } from "./resolve.ts";
