import type { CallOptions, Send } from "../request.ts";
import type { LoginRequest, LoginResponse, Me, PasswordPolicy, UserSession } from "../types/accounts.ts";

export function accountRoutes(send: Send) {
  return {
    login: (body: LoginRequest, call?: CallOptions) => send<LoginResponse>("POST", "/auth/login", { ...call, body }),
    logout: (call?: CallOptions) => send<void>("POST", "/auth/logout", call),
    getMe: (call?: CallOptions) => send<Me>("GET", "/auth/me", call),
    getPasswordPolicy: (call?: CallOptions) => send<PasswordPolicy>("GET", "/auth/policy", call),
    listSessions: (call?: CallOptions) => send<{ items: UserSession[] }>("GET", "/auth/sessions", call),
    /** Answers only while no user exists; after that an anonymous caller is refused. */
    getSetupStatus: (call?: CallOptions) => send<{ first_boot: boolean }>("GET", "/setup/status", call),
  };
}
