import type { DocumentBuilder } from '@nestjs/swagger';
import type { DeclaredRoute } from '../../auth/route-directory.js';
import type { OperatorSurface } from '../../operators/require-operator-token.js';

type Scheme = Parameters<DocumentBuilder['addSecurity']>[1];
type Requirements = Record<string, string[]>[];

const bearer = (description: string): Scheme => ({ type: 'http', scheme: 'bearer', description });

/** The credentials of this API; all of them are bearer tokens. */
export const SECURITY_SCHEMES = {
  api_key: bearer('An API key. `x-api-key` takes it as well.'),
  session: bearer('The session token from sign-in or sign-up.'),
  ops_token: bearer(
    'The operator token `OPS_TOKEN`. While it is unset, programs on the same machine need none, and what moves money is off.',
  ),
  metrics_token: bearer('`METRICS_TOKEN`. While it is unset, metrics are open.'),
  usage_token: bearer('`USAGE_TOKEN`. While it is unset, usage reports are off.'),
} satisfies Record<string, Scheme>;

type SchemeName = keyof typeof SECURITY_SCHEMES;

const BY_SURFACE: Readonly<Record<OperatorSurface, SchemeName>> = {
  ops: 'ops_token',
  money: 'ops_token',
  metrics: 'metrics_token',
  usage: 'usage_token',
};

/** The credentials that a route takes, each by itself; none for a route that is open to everybody. */
export function securityOf({ rule, surface, sessions }: DeclaredRoute): Requirements {
  return schemesOf({ rule, surface, sessions }).map((name) => ({ [name]: [] }));
}

function schemesOf({ rule, surface, sessions }: Pick<DeclaredRoute, 'rule' | 'surface' | 'sessions'>): SchemeName[] {
  if (surface !== undefined) return [BY_SURFACE[surface]];
  if (rule === undefined) return [];
  if (sessions === 'only') return ['session'];
  return sessions === 'or_key' ? ['api_key', 'session'] : ['api_key'];
}
