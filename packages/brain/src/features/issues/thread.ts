// Code that also runs in the database threads, without the routes that index.ts loads.
export { fingerprintOf } from "./fingerprint.ts";
