import type { Queue } from "@svc/client";
import { queueActions } from "./fleet-actions.tsx";
import { engineName, SupportedActions } from "./SupportedActions.tsx";

/** The actions on a queue; each asks for confirmation. */
export function QueueControls({ slug, queue }: { slug: string; queue: Queue }) {
  const none = <span className="t3">{engineName(queue.engine)} queues can't be controlled from here.</span>;
  return <SupportedActions slug={slug} actions={queueActions} subject={queue} none={none} />;
}
