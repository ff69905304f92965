import { Secret, TOTP } from "otpauth";

const period = 30;

/** The part of a client that enrolling needs: the test client's `post` or a wrapper. Paths are below /api/v1. */
export interface EnrollingClient {
  // biome-ignore lint/suspicious/noExplicitAny: the answer's shape depends on the route
  post(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
}

export type SecondFactor = Awaited<ReturnType<typeof enrollSecondFactor>>;

/**
 * Enrolls the caller and returns the authenticator app with its secret. From then on its session is verified, and the user's other
 * sessions and sign-ins require a code.
 */
export async function enrollSecondFactor(
  client: EnrollingClient,
  { now = () => new Date() }: { now?: () => Date } = {},
) {
  const begun = await client.post("/auth/mfa/enroll-start");
  if (begun.status !== 200) throw new Error(`starting the enrollment answered ${begun.status}`);
  const secret: string = begun.body.secret_base32;
  const stepNow = () => TOTP.counter({ period, timestamp: now().getTime() });
  // Use the previous step's code to enroll, so that the test can still use the current one.
  let lastStep = stepNow() - 1;
  const complete = () =>
    client.post("/auth/mfa/enroll-complete", { code: totpCode(secret, new Date(lastStep * period * 1000)) });
  let done = await complete();
  if (done.status === 422) {
    // The time step ended during the request.
    lastStep = stepNow() - 1;
    done = await complete();
  }
  if (done.status !== 200) throw new Error(`completing the enrollment answered ${done.status}`);
  return {
    /** For pages that ask to type it, and for separate apps. */
    secret,
    recoveryCodes: done.body.recovery_codes as readonly string[],
    /**
     * A code that was not used before, so that the service accepts it. There are two within 30 seconds, the current and the next one; after
     * that, use a recovery code or move the test's clock.
     *
     * @throws when both are used.
     */
    code() {
      const present = stepNow();
      const step = Math.max(present, lastStep + 1);
      if (step > present + 1) throw new Error("the codes of these 30 seconds are used up");
      lastStep = step;
      return totpCode(secret, new Date(step * period * 1000));
    },
  };
}

/** The six digits that an authenticator app shows for a base32 secret at an instant. */
export const totpCode = (secret: string, at: Date): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period, timestamp: at.getTime() });
