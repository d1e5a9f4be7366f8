import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { OrgMembership, Principal } from './principal.js';

/** Who makes a call, for which organization, and from where. */
export interface Call {
  readonly principal: Principal;
  /** Named by `x-service-org` or the path, else the home of the credential. */
  readonly org: OrgMembership;
  readonly ip: string;
  readonly requestId: string;
}

const CALL = Symbol('call');
type Carrier = object & { [CALL]?: Call | DomainError };

export function attachCall(request: object, call: Call): void {
  (request as Carrier)[CALL] = call;
}

/** It is known who calls, and that they may not: not from there, or not for that organization. */
export function attachRefusal(request: object, refusal: DomainError): void {
  (request as Carrier)[CALL] = refusal;
}

export function callOf(request: object): Call | undefined {
  const call = (request as Carrier)[CALL];
  return call instanceof DomainError ? undefined : call;
}

export function refusalOf(request: object): DomainError | undefined {
  const call = (request as Carrier)[CALL];
  return call instanceof DomainError ? call : undefined;
}

/** The {@link Call} of a route that is not public. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Call => {
  const call = callOf(context.switchToHttp().getRequest<object>());
  if (call === undefined) throw new Error('A route asks for its caller and lets anybody in.');
  return call;
});
