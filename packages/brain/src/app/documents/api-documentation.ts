import type { Documentation } from "../../platform/http/documents/document.ts";
import { examples } from "./api-examples.ts";

const introduction = `Monitors and controls background-task engines. Everything the dashboard does goes through this API.

**Sign in.** Programs send an API key: \`Authorization: Bearer <key>\`. Browsers use the session cookie of \`login\`, and send the value of the CSRF cookie as \`X-CSRF-Token\` with every request that changes something.

**Errors.** Every error has the same body (\`Error\`). Decide by \`error\`, not by \`message\`. Every response has an \`X-Request-Id\` header, which identifies the request in the log of the service.

**Paging.** Lists return \`items\` and \`next_cursor\`. Pass the cursor back unchanged until it is null.

**Times** are ISO 8601 in UTC. In requests, a time without a zone is UTC.

**Limits.** A request over its limit is answered with 429 and \`Retry-After\`, in seconds. \`x-svc-bucket\` names the budget that an operation shares with others.

**This document** has an \`ETag\`; send it as \`If-None-Match\` to get 304 while nothing has changed. Unless it is public, it needs a session or an API key; without one, the response is 401 with \`WWW-Authenticate: Bearer\`.

**WebSockets.** \`/ws/dashboard\` sends changes to browsers with a session (JSON messages: subscribe, ready, event, ping, pong). \`/ws/agent\` connects agents, with their token as bearer. Both refuse by close code. \`/metrics\` serves Prometheus text.`;

/** Document text that does not come from the routes. */
export const documentation: Documentation = {
  introduction,
  groups: {
    tree: "tasks",
    trends: "stats",
    activity: "audit",
    "agent-workers": "agents",
    "agent-file": "agents",
    "users-write": "users",
    schedulers: "schedules",
    "invitations-public": "invitations",
    "system-health": "health",
  },
  groupDescriptions: {
    home: "Figures of all your projects.",
    projects: "Projects, the scope of everything else.",
    tasks: "Jobs of engines: lists, searches, exports, breakdowns.",
    "saved-views": "Named filters of the task list.",
    schedules: "What starts tasks at which times, and what it started.",
    issues: "Failures grouped by what they have in common.",
    events: "What agents reported, step by step.",
    stats: "Figures of a project over time.",
    queues: "Queues of waiting tasks.",
    workers: "Processes that run tasks.",
    agents: "Processes that watch engines and carry out commands.",
    commands: "Commands to agents: retry, cancel, purge, worker control.",
    "bulk-retry-requests": "Retries of many tasks, carried out one by one.",
    "dead-letters": "Tasks that engines gave up on.",
    audit: "Who did what to what.",
    memberships: "Who may do what in a project.",
    invitations: "Links for joining a project.",
    auth: "Sign-in, sessions and passwords.",
    mfa: "The second factor and trusted devices.",
    "api-keys": "Credentials of scripts.",
    users: "Accounts, for administrators.",
    admin: "The instance, for administrators.",
    setup: "The first start.",
    health: "Probes and versions.",
    "agent-transport": "Long-poll transport of agents. Frames are signed one by one.",
  },
  examples,
};
