import type { Agent } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api } from "../../api.ts";
import { paths } from "../../paths.ts";
import controls from "../../ui/controls.module.css";
import { causeOf } from "../../ui/Feedback.tsx";
import { printable } from "../../ui/format.ts";
import { Dialog, dialogFoot } from "../../ui/Layers.tsx";
import { agentsQuery } from "./queries.ts";

export function RevokeDialog({ slug, agent, onClose }: { slug: string; agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const revoke = useMutation({
    mutationFn: () => api.revokeAgent(slug, agent.id),
    onSuccess: () => {
      client.setQueryData(
        agentsQuery(slug).queryKey,
        (old) => old && { items: old.items.filter((one) => one.id !== agent.id) },
      );
      void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
      router.history.push(paths.agents(slug));
    },
  });
  return (
    <Dialog title={`Revoke ${printable(agent.name)}`} onClose={onClose}>
      <p>
        Its connection closes now and its token stops working for good. Commands that wait for it are cancelled. What it
        reported stays.{" "}
        {agent.state === "online" ? "It is online: what happens in its engines from now on is not seen." : null}
      </p>
      {revoke.isError ? (
        <p className={controls.err} role="alert">
          Not revoked. {causeOf(revoke.error)}
        </p>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Keep it
        </button>
        <button
          type="button"
          className={`${controls.btn} ${controls.danger} ${controls.big}`}
          aria-disabled={revoke.isPending}
          onClick={() => {
            if (!revoke.isPending) revoke.mutate();
          }}
        >
          Revoke agent
        </button>
      </div>
    </Dialog>
  );
}
