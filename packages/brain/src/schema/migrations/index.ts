import type { Migration } from "../../platform/database/migrate.ts";
import { foundation } from "./0001-foundation.ts";
import { fleet } from "./0002-fleet.ts";
import { tasks } from "./0003-tasks.ts";
import { search } from "./0004-search.ts";
import { overview } from "./0005-overview.ts";
import { savedViews } from "./0006-saved-views.ts";
import { failedTasks } from "./0007-failed-tasks.ts";
import { issues } from "./0008-issues.ts";
import { queueTotals } from "./0009-queue-totals.ts";
import { depthsAndErrors } from "./0010-depths-and-errors.ts";
import { accounts } from "./0011-accounts.ts";
import { commandLists } from "./0012-command-lists.ts";
import { bulkRetries } from "./0013-bulk-retries.ts";
import { claimedGeneration } from "./0014-claimed-generation.ts";
import { bulkRetryList } from "./0015-bulk-retry-list.ts";
import { accountSecurity } from "./0016-account-security.ts";

/** Every migration, in order. A released one never changes. */
export const migrations: readonly Migration[] = [
  foundation,
  fleet,
  tasks,
  search,
  overview,
  savedViews,
  failedTasks,
  issues,
  queueTotals,
  depthsAndErrors,
  accounts,
  commandLists,
  bulkRetries,
  claimedGeneration,
  bulkRetryList,
  accountSecurity,
];
