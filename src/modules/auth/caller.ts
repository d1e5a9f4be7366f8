import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { OrgMembership, Principal } from './principal.js';

/** The caller of a request, its organization and its address. */
export interface Call {
  readonly principal: Principal;
  /** The organization in `x-service-org` or the path, or the default one of the credential. */
  readonly org: OrgMembership;
  readonly ip: string;
  readonly requestId: string;
  /** More budgets that the work of this call draws from, such as `run:run_…`. */
  readonly budgetSubjects?: readonly string[];
}

const CALL = Symbol('call');
type Carrier = object & { [CALL]?: Call | DomainError };

export function attachCall(request: object, call: Call): void {
  (request as Carrier)[CALL] = call;
}

/** The caller is known, but its address or the requested organization is refused. */
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
  if (call === undefined) throw new Error('A public route asks for its caller.');
  return call;
});
