import type { ZoneChoice } from "../../ui/time/instants.ts";

/** The time zones to display times in; the last is only for pages of a project. */
export const zoneOptions: readonly { value: ZoneChoice; label: string; title: string }[] = [
  { value: "utc", label: "UTC", title: "Times in UTC" },
  { value: "mine", label: "local", title: "Times in this browser's zone" },
  { value: "project", label: "project", title: "Times in the project's zone" },
];
