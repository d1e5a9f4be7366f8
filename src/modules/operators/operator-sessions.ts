import type { IncomingMessage, ServerResponse } from 'node:http';

/** Admits people with the operator role by the session of a page. `auth` implements it, because it knows sessions. */
export abstract class OperatorSessions {
  /** True when the caller asks to be identified by the session in its cookie. */
  abstract isUsedBy(request: IncomingMessage): boolean;

  /** Throws unless the session is of a person who is an operator now, in a call from a page of this service. */
  abstract admit(request: IncomingMessage, response: ServerResponse): Promise<true>;
}
