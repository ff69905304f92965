export { HealthWord } from "./HealthWord.tsx";
export { whyNotAs } from "./may-not.ts";
export { ProjectTag } from "./ProjectTag.tsx";
export {
  archivedProjectsQuery,
  homeSummaryQuery,
  projectQuery,
  projectsQuery,
  statsQuery,
  useMayNot,
  useMayNotManage,
} from "./queries.ts";
export { SettingsTabs } from "./settings/SettingsTabs.tsx";
