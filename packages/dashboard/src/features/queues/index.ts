export { queueActivityQuery, queueQuery, queuesQuery } from "./queries.ts";
export { byTrouble, hasNoConsumer, type Trouble, troubleOf } from "./trouble.ts";
