import { createStore } from "../../../ui/store.ts";
import type { ChosenTasks } from "../tasks/bulk-actions.tsx";
import type { Action } from "./action.ts";

/** The selected tasks of the list with their actions, which the palette offers too; null while none is selected. */
export const selectedTasks = createStore<{ actions: readonly Action<ChosenTasks>[]; subject: ChosenTasks } | null>(
  null,
);
