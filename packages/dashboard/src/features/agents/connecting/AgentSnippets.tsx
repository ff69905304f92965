import { useState } from "react";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import css from "../agents.module.css";
import { type AgentSecrets, environmentLines, inProcessCode, sidecarCommand } from "./snippet.ts";

const ways = [
  { value: "beside", label: "beside Redis", title: "A process of its own that reads the engine from outside" },
  { value: "inside", label: "inside the application", title: "In the process of your BullMQ workers" },
] as const;
type Way = (typeof ways)[number]["value"];

/** What to paste: the secrets, and the start of an agent, as a process of its own or inside the application. */
export function AgentSnippets({ slug, secrets }: { slug: string; secrets: AgentSecrets | null }) {
  const [way, setWay] = useState<Way>("beside");
  return (
    <>
      <Snippet name="environment" text={environmentLines(slug, secrets)} once="shown once, when minted" />
      <div className={css.ways}>
        <Segments legend="Where the agent runs" value={way} options={ways} onChange={setWay} />
      </div>
      {way === "beside" ? (
        <Snippet name="shell, beside Redis" text={sidecarCommand(location.origin)} />
      ) : (
        <Snippet name="TypeScript, BullMQ" text={inProcessCode(location.origin)} />
      )}
    </>
  );
}
