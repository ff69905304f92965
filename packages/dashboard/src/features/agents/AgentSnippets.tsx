import { Snippet } from "../../ui/Snippet.tsx";
import { type AgentSecrets, environmentLines, sidecarCommand } from "./snippet.ts";

/** The two things to paste: the secrets, and the side-car's start line. */
export function AgentSnippets({ slug, secrets }: { slug: string; secrets: AgentSecrets | null }) {
  return (
    <>
      <Snippet name="environment" text={environmentLines(slug, secrets)} once="shown once, when minted" />
      <Snippet name="shell, beside Redis" text={sidecarCommand(location.origin)} />
    </>
  );
}
