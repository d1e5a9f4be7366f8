import { type Call, type RequestOptions, Service, ServiceError } from '@service/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { confirming } from './data/confirmation';

const service = new Service({
  session: 'cookie',
  baseUrl: location.origin,
  maxRetries: 2,
  maxRetryAfterSeconds: 3,
});

/** The API. People wait for the answer, so it is asked again only for a short time. */
export const api = confirming(service);

/** Makes a call that the client library has no method for. The response has not been read. */
export const request = (call: Call, options: RequestOptions): Promise<Response> => service.request(call, options);

/** Makes such a call, and returns its answer in its envelope. The caller knows the shape. */
export const answerOf = async (call: Call, options: RequestOptions): Promise<unknown> =>
  (await request(call, options)).json();

/** What the service has answered. The client library asks again by itself, as the service says that it may. */
export const queries: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 10_000 } },
  queryCache: new QueryCache({
    onError: (error) => {
      unanswered?.(error);
    },
  }),
  // A form that is refused keeps what was typed, and says how to go on (see `ErrorNote`).
  mutationCache: new MutationCache(),
});

/** What is fetched in advance may fail: the screen asks again, and says why it cannot. */
export const ignore = (): undefined => undefined;

/** The session is valid, and what was shown beside it was refused. */
const REFUSED_BESIDE_SESSION = new Set(['invalid_factor', 'recent_sign_in_required', 'second_factor_required']);

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && !REFUSED_BESIDE_SESSION.has(error.code);
export const isMissing = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status === 404 || error.code === 'org_access_denied');

/** What says that the session does not open an organization, or no longer. */
const LOST = new Set(['org_access_denied', 'organization_not_found', 'sso_required']);

export const isOrganizationLost = (error: unknown): boolean => error instanceof ServiceError && LOST.has(error.code);

/** The organization that lets in only people who came through its SSO connection; undefined for other errors. */
export function organizationWithSso(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'sso_required') return undefined;
  return (error.details as { readonly requested_org?: string } | undefined)?.requested_org;
}

let unanswered: ((error: unknown) => void) | undefined;

/** The app says what follows from a question that was refused; this module knows no router. */
export function onUnanswered(handle: (error: unknown) => void): void {
  unanswered = handle;
}
