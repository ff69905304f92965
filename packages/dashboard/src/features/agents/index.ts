export { AgentSnippets } from "./connecting/AgentSnippets.tsx";
export { FirstHello, NothingArrives } from "./connecting/FirstHello.tsx";
export { MintDialog } from "./connecting/MintDialog.tsx";
export { environmentLines } from "./connecting/snippet.ts";
export { type Gaps, useGaps } from "./losses/use-gaps.ts";
export { agentsQuery } from "./queries.ts";
export { useAgentsNotice } from "./use-agents-notice.tsx";
