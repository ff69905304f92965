import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Paths of the thread entries: sources under the `source` condition, built files otherwise. */
export const threadEntries = {
  writerEntry: require.resolve("@svc/brain/writer-thread"),
  readerEntry: require.resolve("@svc/brain/reader-thread"),
};
