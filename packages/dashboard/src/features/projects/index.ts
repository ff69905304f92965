export { HealthWord } from "./HealthWord.tsx";
export { useMayNot, useMayNotManage, whyNotAs } from "./may-not.ts";
export { archivedProjectsQuery, homeSummaryQuery, projectQuery, projectsQuery, statsQuery } from "./queries.ts";
export { SettingsTabs } from "./settings/SettingsTabs.tsx";
export { ZoneField } from "./settings/ZoneField.tsx";
