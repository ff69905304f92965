export { type Completion, completionAt, fieldTerm } from "./complete.ts";
export { type ExportField, exportFields } from "./export-fields.ts";
export {
  type Condition,
  isNumberText,
  isQueryField,
  type JsonField,
  type JsonTest,
  type LabelField,
  type Moment,
  type NumberField,
  type NumberTest,
  type Order,
  type PathStep,
  type QueryFault,
  type QueryField,
  queryFields,
  queryLimits,
  type TaskQuery,
  type Term,
  type TextField,
  type TextTest,
  waitingStates,
} from "./language.ts";
export { type ParsedQuery, parseTaskQuery } from "./parse.ts";
export { printPath, printTaskQuery, printTerm, quoted } from "./print.ts";
export type { QueryToken } from "./scan.ts";
export { suggestQuery } from "./suggest.ts";
export { durationRule, momentRule, readDuration, readMoment } from "./times.ts";
