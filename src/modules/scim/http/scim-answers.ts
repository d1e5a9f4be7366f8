import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ScimCall } from '../tokens/scim-call.js';

const TYPE = 'application/scim+json; charset=utf-8';
const CALL = Symbol('SCIM call');
type Carrier = Request & { [CALL]?: ScimCall };

/** Remembers the call that the guard has admitted. */
export function noteCall(request: Request, call: ScimCall): void {
  (request as Carrier)[CALL] = call;
}

/** The call that the guard has admitted. */
export const AdmittedCall = createParamDecorator((_: undefined, context: ExecutionContext): ScimCall => {
  const call = context.switchToHttp().getRequest<Carrier>()[CALL];
  if (call === undefined) throw new Error('A route of SCIM was reached without its guard.');
  return call;
});

/** Sends a resource in the content type of SCIM. */
export function sendScim(response: Response, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

export function sendNothing(response: Response): void {
  response.statusCode = 204;
  response.end();
}
