import { ApiProblem, isProblem } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { paths, safeReturn } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import controls from "../../ui/controls.module.css";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { EntryFrame, EntryNote, entryAside, entryForm, entryKeep, entrySubmit } from "./EntryFrame.tsx";

export function LoginPage() {
  const { next, ended } = useSearch({ from: "/login" });
  const go = useGo();

  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      api.login({
        email: String(form.get("email")),
        password: String(form.get("password")),
        remember_me: form.get("remember") === "on",
      }),
    onSuccess: ({ mfa_required }) => {
      queryClient.clear();
      const after = safeReturn(next);
      go(mfa_required ? paths.verify({ next: after }) : after, { replace: true });
    },
  });

  const failure = signIn.error === null ? null : signInFailure(signIn.error);

  return (
    <EntryFrame title="Sign in" foot={<span>Ask your administrator for an account.</span>}>
      {ended ? (
        <EntryNote>
          Your session has ended.{" "}
          {next && next !== "/" ? (
            <>
              You will return to <b>{next.split("?")[0]}</b>.
            </>
          ) : null}
        </EntryNote>
      ) : null}
      <ActForm error={signIn.error} className={entryForm} onSubmit={(form) => signIn.mutate(new FormData(form))}>
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={failure}
        />
        <label className={entryKeep}>
          <span className={controls.tick}>
            <input type="checkbox" name="remember" />
          </span>
          Keep me signed in
        </label>
        <ActButton error={signIn.error} isBusy={signIn.isPending} className={entrySubmit}>
          {signIn.isPending ? "Signing in…" : "Sign in"}
        </ActButton>
      </ActForm>
      <div className={entryAside}>
        <ButtonLink variant="link" href={paths.reset()}>
          Forgot your password?
        </ButtonLink>
      </div>
    </EntryFrame>
  );
}

function signInFailure(error: unknown): string {
  if (isProblem(error, "unauthenticated")) return "The email or password is incorrect.";
  if (isProblem(error, "rate_limited")) return "Too many attempts. Try again in a minute.";
  if (isProblem(error, "csrf_failed")) return "Open the server at its public URL to sign in.";
  if (error instanceof ApiProblem && error.code === "validation_error") return "Enter your email and password.";
  return causeOf(error);
}
