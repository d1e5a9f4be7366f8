import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { WantedFlow } from '../flows/flow-beginnings.service.js';
import type { BeginFlowBody } from './external-sign-ins.dto.js';

/** @throws {RequestInvalid} `invalid_request`: fields that exclude or need each other. */
export function wantedFlowOf(body: BeginFlowBody): WantedFlow {
  const { method, return_to: returnTo, challenge, client_name: clientName, hint } = body;
  if (method === 'browser') {
    if (clientName === undefined)
      throw new RequestInvalid([fault('client_name', 'is_needed', 'client_name is required for browser')]);
    return { method, clientName, returnTo, challenge, hint };
  }
  if (clientName !== undefined || hint !== undefined)
    throw new RequestInvalid([fault('method', 'excludes', 'client_name and hint are allowed only for browser')]);
  return { method: 'provider', provider: method, returnTo, challenge };
}

const fault = (path: string, code: string, message: string): FieldFault => ({ path, in: 'body', code, message });
