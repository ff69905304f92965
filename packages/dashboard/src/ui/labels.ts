/** The labels of counts, the same on every page. GLOSSARY.md defines them. */
export const labels = {
  waiting: "Waiting",
  oldestWaiting: "Oldest waiting",
  running: "Running",
  finished: "Finished",
  failed: "Failed",
  workers: "Workers",
} as const;

/** For the tooltip of a count of finished tasks. */
export const finishedMeans = "Succeeded, failed, revoked or rejected. Retries are not counted.";
