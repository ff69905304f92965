import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const mfaStatusQuery = queryOptions({
  queryKey: ["mfa-status"],
  queryFn: ({ signal }) => api.getMfaStatus({ signal }),
});

export const trustedDevicesQuery = queryOptions({
  queryKey: ["trusted-devices"],
  queryFn: ({ signal }) => api.listTrustedDevices({ signal }),
});

/** Begins an enrollment. Read again it would make another secret, so it is not, and nothing of it is kept once the page is left. */
export const enrollmentQuery = queryOptions({
  queryKey: ["mfa-enrollment"],
  queryFn: ({ signal }) => api.startMfaEnrollment({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnReconnect: false,
});
