export { AgentSnippets } from "./connecting/AgentSnippets.tsx";
export { ConnectionState, NotConnecting } from "./connecting/ConnectionState.tsx";
export { CreateAgentDialog } from "./connecting/CreateAgentDialog.tsx";
export { type Gaps, useGaps } from "./losses/use-gaps.ts";
export { agentsQuery } from "./queries.ts";
export { useAgentsNotice } from "./use-agents-notice.tsx";
