import { ActionButton } from "../registry/ActionButton.tsx";
import { workerActions } from "./fleet-actions.tsx";
import type { ControlledWorker } from "./worker-acts.ts";

export function WorkerButtons({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  return workerActions.map((action) => <ActionButton key={action.id} {...{ slug, action }} subject={worker} />);
}
