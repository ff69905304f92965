export { DifferencesPanel } from "./detail/failure/DifferencesPanel.tsx";
export { Trace } from "./detail/failure/FailurePanel.tsx";
export { copiesOf } from "./detail/head/task-copies.ts";
export { FailuresPanel } from "./FailuresPanel.tsx";
export { TaskTable } from "./TaskTable.tsx";
