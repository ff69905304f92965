import { createStore } from "../../../ui/store.ts";
import type { ChosenTasks } from "../tasks/bulk-actions.tsx";
import type { Action } from "./action.ts";

/** What can be done with the ticked tasks of the list; null while none is ticked. The palette offers it too. */
export const ticked = createStore<{ actions: readonly Action<ChosenTasks>[]; subject: ChosenTasks } | null>(null);
