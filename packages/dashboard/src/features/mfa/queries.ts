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

/** Starts an enrollment. Each request creates a new secret, so it is never refetched, and it is dropped from the cache with the page. */
export const enrollmentQuery = queryOptions({
  queryKey: ["mfa-enrollment"],
  queryFn: ({ signal }) => api.startMfaEnrollment({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnReconnect: false,
});
