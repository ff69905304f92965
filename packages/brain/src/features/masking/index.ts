export { createMasking, type Masking } from "./mask.ts";
export { createResolver, isMasked, type Resolver } from "./resolve.ts";
