import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import controls from "../../../ui/controls.module.css";
import { Field } from "../../../ui/forms/Field.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { bytes } from "../../../ui/time/format.ts";
import css from "../agents.module.css";
import { agentFileQuery } from "./agent-file.ts";
import {
  type AgentSecrets,
  environmentLines,
  inProcessCode,
  isLoopback,
  needsDev,
  redisUrlError,
  startCommand,
} from "./snippet.ts";

const ways = [
  {
    value: "separate",
    label: "Separate process",
    title: "Reads the engine from outside. The application doesn't change",
  },
  { value: "inside", label: "Inside the application", title: "In the process that runs your BullMQ workers" },
] as const;
type Way = (typeof ways)[number]["value"];

interface AgentSnippetsProps {
  engine: string;
  secrets: AgentSecrets | null;
}

/** How to run the agent: as a separate process, or inside an application that uses BullMQ. */
export function AgentSnippets({ engine, secrets }: AgentSnippetsProps) {
  const [way, setWay] = useState<Way>("separate");
  return (
    <div className={controls.rows}>
      {engine === "bullmq" ? (
        <div className={css.ways}>
          <Segments legend="Where the agent runs" value={way} options={ways} onChange={setWay} />
        </div>
      ) : null}
      {way === "inside" && engine === "bullmq" ? (
        <>
          <Environment secrets={secrets} />
          <Snippet name="TypeScript" text={inProcessCode(location.origin)} />
          <p className={controls.hint}>@svc/agent and @svc/bullmq come from the svc repository, not from npm.</p>
        </>
      ) : (
        <StartCommand engine={engine} secrets={secrets} />
      )}
      {secrets ? (
        <div className={css.copies}>
          <CopyButton text={secrets.token} label="Copy token" />
          <CopyButton text={secrets.hmacSecret} label="Copy HMAC secret" />
        </div>
      ) : null}
    </div>
  );
}

const Environment = ({ secrets }: { secrets: AgentSecrets | null }) => (
  <Snippet name="environment" text={environmentLines(secrets).join("\n")} once="shown once, at creation" />
);

function StartCommand({ engine, secrets }: AgentSnippetsProps) {
  const file = useQuery(agentFileQuery);
  const [redisUrl, setRedisUrl] = useState("redis://127.0.0.1:6379");
  const urlError = redisUrlError(redisUrl);
  const brainUrl = location.origin;
  return (
    <>
      {engine === "bullmq" ? (
        <Field
          label="Redis URL"
          autoComplete="off"
          spellCheck={false}
          value={redisUrl}
          onChange={(event) => setRedisUrl(event.currentTarget.value)}
          hint="As seen from the machine where the agent runs."
          error={urlError}
        />
      ) : null}
      <QueryBoundary name="The agent file" read={file} rows={5} isPart>
        {({ version, sha256, bytes: size, node }) => (
          <>
            {secrets ? null : <Environment secrets={null} />}
            <Snippet
              name="shell"
              text={startCommand({
                engine,
                secrets,
                brainUrl,
                sha256,
                redisUrl: urlError ? "redis://HOST:PORT" : redisUrl,
              })}
            />
            <p className={controls.hint}>
              svc-agent.mjs {version} is a single file ({bytes(size)}) without dependencies. It needs Node{" "}
              {node.replace(">=", "")} or newer.{" "}
              {isLoopback(brainUrl)
                ? `On another machine, use the https address of this server instead of ${brainUrl}.`
                : needsDev(brainUrl)
                  ? "--dev allows plain HTTP. Use it only in networks that you trust, or serve svc over HTTPS."
                  : null}
            </p>
          </>
        )}
      </QueryBoundary>
    </>
  );
}
