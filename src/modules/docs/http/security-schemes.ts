import type { DocumentBuilder } from '@nestjs/swagger';
import type { DeclaredRoute } from '../../auth/route-directory.js';
import type { OperatorSurface } from '../../operators/require-operator-token.js';

type Scheme = Parameters<DocumentBuilder['addSecurity']>[1];
type Requirements = Record<string, string[]>[];

const bearer = (description: string): Scheme => ({ type: 'http', scheme: 'bearer', description });

/** The credentials of the API, all of which are bearer tokens. */
export const SECURITY_SCHEMES = {
  api_key: bearer('An API key. The header `x-api-key` accepts it as well.'),
  session: bearer('The session token from sign-in or sign-up.'),
  session_cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-svc_web',
    description:
      'The session of a page of this service. It counts only with the header `x-service-session: cookie`, and only ' +
      'from the same origin. Its name is `svc_web` where `PUBLIC_URL` is http.',
  },
  ops_token: bearer(
    'The operator token `OPS_TOKEN`. While it is unset, programs on the same machine need none, ' +
      'and endpoints that move money are disabled.',
  ),
  metrics_token: bearer('`METRICS_TOKEN`. While it is unset, metrics are public.'),
  usage_token: bearer('`USAGE_TOKEN`. While it is unset, usage reports are disabled.'),
} satisfies Record<string, Scheme>;

type SchemeName = keyof typeof SECURITY_SCHEMES;

const BY_SURFACE: Readonly<Record<OperatorSurface, SchemeName>> = {
  ops: 'ops_token',
  money: 'ops_token',
  metrics: 'metrics_token',
  usage: 'usage_token',
};

/** Returns the credentials that a route accepts, any one of which suffices. A public route has none. */
export function securityOf(route: DeclaredRoute): Requirements {
  return schemesOf(route).map((name) => ({ [name]: [] }));
}

function schemesOf({ rule, surface, sessions }: Pick<DeclaredRoute, 'rule' | 'surface' | 'sessions'>): SchemeName[] {
  if (surface !== undefined) return [BY_SURFACE[surface]];
  if (rule === undefined) return [];
  if (sessions === 'never') return ['api_key'];
  if (sessions === 'only') return ['session', 'session_cookie'];
  if (sessions === 'only_token') return ['session'];
  return sessions === 'or_key' ? ['api_key', 'session', 'session_cookie'] : ['api_key', 'session_cookie'];
}
