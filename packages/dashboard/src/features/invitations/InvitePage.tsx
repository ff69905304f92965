import { isProblem } from "@svc/client";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { forgetEntryToken, useEntryToken } from "../../api/entry-token.ts";
import { queryClient } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { AppLink, useGo } from "../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { causeOf, Skeleton } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import { printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { EntryFrame, EntryNote, entryAside, entrySubmit, meQuery, SignOutLink } from "../sessions/index.ts";
import type { Invited } from "./invited.ts";
import { Newcomer } from "./Newcomer.tsx";

const here = "/invite";

const previewQuery = (token: string) =>
  queryOptions({
    queryKey: ["invitation-preview", token],
    queryFn: ({ signal }) => api.previewInvitation({ token }, { signal }),
    retry: false,
    gcTime: 0,
  });

/** The page of an invitation link: shows the invitation and accepts it with a new or an existing account. */
export function InvitePage() {
  const token = useEntryToken(here);
  if (token === null) {
    return (
      <Unusable title="Open the link again">
        This page needs an invitation link and forgets it on reload. Open the link again.
      </Unusable>
    );
  }
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const go = useGo();
  const preview = useQuery(previewQuery(token));
  // Usually there is no session; that is not an error.
  const me = useQuery({ ...meQuery, retry: false });
  const join = (slug: string) => {
    forgetEntryToken();
    queryClient.clear();
    go(paths.project(slug), { replace: true });
  };
  if (isProblem(preview.error, "not_found")) {
    return (
      <Unusable title="This invitation is no longer valid">
        It was already accepted or revoked, it has expired, or its project is archived. Ask for a new invitation.
      </Unusable>
    );
  }
  if (preview.data === undefined || me.isPending) {
    return (
      <EntryFrame title="Invitation">
        <QueryBoundary name="The invitation" read={preview} rows={4}>
          <Skeleton rows={4} label="Loading the invitation" />
        </QueryBoundary>
      </EntryFrame>
    );
  }
  const signedIn = me.data === undefined || me.data.mfa_required ? null : me.data.email;
  const parts = { token, invitation: preview.data, signedIn, onJoined: join };
  return (
    <EntryFrame title={`Join ${printable(preview.data.project_name)}`}>
      <EntryNote icon="open">
        <b>{preview.data.email}</b> is invited to the project <b>{printable(preview.data.project_name)}</b> as{" "}
        <b>{preview.data.role}</b>. The invitation expires <Stamp at={preview.data.expires_at} to="minute" />.
      </EntryNote>
      {preview.data.existing_account ? (
        <Known {...parts} onChanged={() => void preview.refetch()} />
      ) : (
        <Newcomer {...parts} onChanged={() => void preview.refetch()} />
      )}
    </EntryFrame>
  );
}

function Known({ token, invitation, signedIn, onJoined, onChanged }: Invited) {
  const accept = useMutation({
    mutationFn: () => api.acceptInvitation({ token }),
    onSuccess: ({ project_slug }) => onJoined(project_slug),
    onError: (error) => {
      if (isProblem(error, "conflict") && error.details.reason === "login_required") onChanged();
    },
  });
  if (signedIn === null) {
    return (
      <>
        <p>This address already has an account. Sign in to accept.</p>
        <ButtonLink variant="main" className={entrySubmit} href={paths.login({ next: here })}>
          Sign in to accept
        </ButtonLink>
      </>
    );
  }
  if (signedIn.toLowerCase() !== invitation.email.toLowerCase()) {
    return (
      <>
        <p>
          You are signed in as <b>{signedIn}</b>, but the invitation is for another account.
        </p>
        <SignOutLink variant="main" className={entrySubmit} next={here}>
          Sign out and switch account
        </SignOutLink>
      </>
    );
  }
  const isMember = isProblem(accept.error, "conflict") && accept.error.details.reason === "already_member";
  return (
    <>
      {isMember ? (
        <InlineAlert>
          You are already a member of this project.{" "}
          <AppLink href={paths.project(invitation.project_slug)}>Open the project</AppLink>
        </InlineAlert>
      ) : accept.isError ? (
        <InlineAlert>Not accepted. {causeOf(accept.error)}</InlineAlert>
      ) : null}
      <ActButton error={accept.error} isBusy={accept.isPending} className={entrySubmit} onAct={() => accept.mutate()}>
        {accept.isPending ? "Accepting…" : "Accept invitation"}
      </ActButton>
      <p className="t2">
        Signed in as <b>{signedIn}</b>. <SignOutLink next={here} />
      </p>
    </>
  );
}

function Unusable({ title, children }: { title: string; children: string }) {
  return (
    <EntryFrame title={title}>
      <EntryNote icon="lock">{children}</EntryNote>
      <div className={entryAside}>
        <ButtonLink variant="link" href={paths.home()}>
          Go to the dashboard
        </ButtonLink>
      </div>
    </EntryFrame>
  );
}
