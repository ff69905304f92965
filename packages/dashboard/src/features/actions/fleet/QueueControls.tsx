import type { Queue } from "@svc/client";
import { ActionButton } from "../registry/ActionButton.tsx";
import { queueActions } from "./fleet-actions.tsx";

/** What can be done with a queue; each asks first. */
export function QueueControls({ slug, queue }: { slug: string; queue: Queue }) {
  return queueActions.map((action) => <ActionButton key={action.id} {...{ slug, action }} subject={queue} />);
}
