import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { WantedIdentity } from '../changes/identity-beginnings.service.js';
import type { WantedFlow } from '../flows/flow-beginnings.service.js';
import type { BeginFlowBody, BeginIdentityBody } from './external-sign-ins.dto.js';

/** @throws {RequestInvalid} `invalid_request`: fields that exclude or need each other. */
export function wantedFlowOf(body: BeginFlowBody): WantedFlow {
  const { method, return_to: returnTo, challenge, client_name: clientName, hint, email, org } = body;
  if (method !== 'browser' && (clientName !== undefined || hint !== undefined))
    throw refusal('method', 'excludes', 'client_name and hint are allowed only for browser');
  if (method !== 'sso' && (email !== undefined || org !== undefined))
    throw refusal('method', 'excludes', 'email and org are allowed only for sso');
  if (method === 'browser') {
    if (clientName === undefined) throw refusal('client_name', 'is_needed', 'client_name is required for browser');
    return { method, clientName, returnTo, challenge, hint };
  }
  if (method !== 'sso') return { method: 'provider', source: { provider: method }, returnTo, challenge };
  if ((email === undefined) === (org === undefined))
    throw refusal('method', 'is_needed', 'sso requires either email or org');
  return { method, wanted: { email, org }, returnTo, challenge };
}

/** @throws {RequestInvalid} `invalid_request`: fields that exclude or need each other. */
export function wantedIdentityOf({ method, return_to: returnTo, challenge, org }: BeginIdentityBody): WantedIdentity {
  if ((method === 'sso') !== (org !== undefined))
    throw refusal('org', 'is_needed', 'org is required for sso, and allowed only for it');
  return { method, org, returnTo, challenge };
}

const refusal = (path: string, code: string, message: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'body', code, message } satisfies FieldFault]);
