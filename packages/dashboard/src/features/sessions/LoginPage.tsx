import { ApiProblem, isProblem } from "@svc/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { api } from "../../api.ts";
import { safeReturn } from "../../paths.ts";
import { queryClient } from "../../query-client.ts";
import { ActButton } from "../../ui/ActButton.tsx";
import { ActForm } from "../../ui/ActForm.tsx";
import { toggleTheme } from "../../ui/appearance.ts";
import controls from "../../ui/controls.module.css";
import { causeOf } from "../../ui/Feedback.tsx";
import { Field } from "../../ui/Field.tsx";
import { Icon } from "../../ui/Icon.tsx";
import css from "./login.module.css";
import { setupStatusQuery } from "./queries.ts";

export function LoginPage() {
  const { next, ended } = useSearch({ from: "/login" });
  const router = useRouter();
  const setup = useQuery(setupStatusQuery);

  useEffect(() => {
    document.title = "Sign in · svc";
  }, []);

  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      api.login({
        email: String(form.get("email")),
        password: String(form.get("password")),
        remember_me: form.get("remember") === "on",
      }),
    onSuccess: ({ mfa_required }) => {
      if (mfa_required) return;
      queryClient.clear();
      router.history.replace(safeReturn(next));
    },
  });

  const failure = signIn.error === null ? null : signInFailure(signIn.error);

  return (
    <main className={css.login} id="main" tabIndex={-1}>
      <ActForm error={signIn.error} className={css.form} onSubmit={(form) => signIn.mutate(new FormData(form))}>
        <p className={css.brand}>
          <span className={css.mark} aria-hidden="true">
            svc
          </span>
          <span>
            <b>{location.host}</b>
            <span className="t3">Task monitoring</span>
          </span>
        </p>
        <h1>Sign in</h1>
        {setup.data?.first_boot ? (
          <p className={css.note} role="status">
            <Icon name="schedules" />
            <span>
              This server has no account yet. Open the setup link that <b>svc serve</b> printed when it started.
            </span>
          </p>
        ) : null}
        {ended ? (
          <p className={css.note} role="status">
            <Icon name="schedules" />
            <span>
              Your session has ended.{" "}
              {next && next !== "/" ? (
                <>
                  You will return to <b>{next.split("?")[0]}</b>.
                </>
              ) : null}
            </span>
          </p>
        ) : null}
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={failure}
        />
        {signIn.data?.mfa_required ? (
          <p className={css.note} role="alert">
            This account has a second factor. Confirm it with the command line; this page cannot take the code yet.
          </p>
        ) : null}
        <label className={css.keep}>
          <span className={controls.tick}>
            <input type="checkbox" name="remember" />
          </span>
          Keep me signed in for 30 days
        </label>
        <ActButton error={signIn.error} isBusy={signIn.isPending} className={css.submit}>
          {signIn.isPending ? "Signing in" : "Sign in"}
        </ActButton>
      </ActForm>
      <footer className={css.foot}>
        <span>Accounts are made by your administrator</span>
        <button type="button" className={controls.lnk} onClick={toggleTheme}>
          Light or dark
        </button>
      </footer>
    </main>
  );
}

function signInFailure(error: unknown): string {
  if (isProblem(error, "unauthenticated")) return "Email or password is wrong. Nothing was changed.";
  if (isProblem(error, "rate_limited")) return "Too many tries from this address. Wait, then try again.";
  if (isProblem(error, "csrf_failed"))
    return "The server does not accept sign-ins from this address. Open it at its public URL.";
  if (error instanceof ApiProblem && error.code === "validation_error") return "Give an email address and a password.";
  return causeOf(error);
}
