import { useEffect } from "react";
import { ActionButton, type ChosenTasks, cancelTasks, retryTasks, selectedTasks } from "../../actions/index.ts";
import { deleteTasks } from "./delete-tasks-action.tsx";

const actions = [retryTasks, cancelTasks, deleteTasks];

/** What can be done with the chosen tasks. */
export function SelectionActs({ slug, subject }: { slug: string; subject: ChosenTasks }) {
  useEffect(() => selectedTasks.set({ actions, subject }), [subject]);
  useEffect(() => () => selectedTasks.set(null), []);
  return actions.map((action) => <ActionButton key={action.id} slug={slug} action={action} subject={subject} />);
}
