import { dialogList } from "../../../../ui/layers/Layers.tsx";
import { count, nameText, printable } from "../../../../ui/time/format.ts";
import type { EngineShare, Matching } from "./use-matching.ts";

/** The number of queues listed by name. */
const namedQueues = 5;

/** The engines and queues of the tasks, and which tasks are excluded or have to wait. An empty `engine` means all. */
export function PlannedTasks({ matching, engine }: { matching: Matching; engine: string }) {
  const { engines, queues, reason } = matching;
  if (engines === null) return <p role="status">{reason ?? "Couldn't determine the engines."}</p>;
  const isOne = engines.length === 1 && engine === "";
  return (
    <ul className={dialogList}>
      {engines.map((share) => (
        <li key={share.engine}>
          {isOne && share.tasks === null ? "All" : amount(share)} of {printable(share.engine)}
          {engine !== "" && share.engine !== engine ? ", excluded: another engine is selected" : agentsText(share)}
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

function agentsText({ eligibility }: EngineShare): string {
  const [first, ...others] = eligibility.agents;
  if (first === undefined) return `, waiting for an eligible agent: ${eligibility.reason}`;
  return others.length === 0
    ? `, by agent ${nameText(first.name)}`
    : `, by ${count(eligibility.agents.length)} eligible agents`;
}
