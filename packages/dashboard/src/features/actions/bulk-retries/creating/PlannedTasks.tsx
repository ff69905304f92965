import { dialogList } from "../../../../ui/layers/Layers.tsx";
import { count, nameText, printable } from "../../../../ui/time/format.ts";
import type { EngineShare, Matching } from "./use-matching.ts";

/** So many queues are named. */
const namedQueues = 5;

/** Of which engines and queues the tasks are, and which of them are left out or have to wait. `engine` is empty for all of them. */
export function PlannedTasks({ matching, engine }: { matching: Matching; engine: string }) {
  const { engines, queues, reason } = matching;
  if (engines === null) return <p role="status">{reason ?? "Which engines have them is not known."}</p>;
  const isOne = engines.length === 1 && engine === "";
  return (
    <ul className={dialogList}>
      {engines.map((share) => (
        <li key={share.engine}>
          {isOne && share.tasks === null ? "All" : amount(share)} of {printable(share.engine)}
          {engine !== "" && share.engine !== engine
            ? ", which are left out: another engine was chosen"
            : whoTakes(share)}
        </li>
      ))}
      {queues !== null && queues.length > 0 && engine === "" ? (
        <li>
          {queues.length === 1 ? "Queue: " : "Queues: "}
          {queues
            .slice(0, namedQueues)
            .map((queue) => `${nameText(queue.value)} ${queue.exact ? "" : "at least "}${count(queue.count)}`)
            .join(", ")}
          {queues.length > namedQueues ? ` and ${count(queues.length - namedQueues)} more` : ""}
        </li>
      ) : null}
    </ul>
  );
}

const amount = ({ tasks, isExact }: EngineShare): string =>
  tasks === null ? "An unknown number" : `${isExact ? "" : "at least "}${count(tasks)}`;

function whoTakes({ able }: EngineShare): string {
  const [first, ...others] = able.agents;
  if (first === undefined) return `, which wait until somebody can take them: ${able.reason}`;
  return others.length === 0
    ? `, by the agent ${nameText(first.name)}`
    : `, by ${count(able.agents.length)} agents that can`;
}
