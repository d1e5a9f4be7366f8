import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Envelope } from '../../../platform/http/envelope.js';
import { callOf } from '../../auth/caller.js';
import { SessionCookie } from '../../auth/session-cookie.js';

/**
 * Moves the token of a new session from the response into a cookie, if the caller is a page that asked for that. It
 * encloses the guarantees of writes, so that a repeated sign-in sets the cookie again.
 */
@Injectable()
export class SessionCookieInterceptor implements NestInterceptor {
  constructor(private readonly cookie: SessionCookie) {}

  /** @throws {CrossSiteRequest} `cross_site_request`: another site may not sign its visitor in here. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!this.cookie.isUsedBy(request)) return next.handle();
    this.cookie.requireSameOrigin(request);
    return next.handle().pipe(map((result: unknown) => this.moved(result, request, http.getResponse<Response>())));
  }

  private moved(result: unknown, request: Request, response: Response): unknown {
    if (!(result instanceof Envelope)) {
      // Only signing out has a caller and no response.
      if (result === undefined && callOf(request) !== undefined) {
        this.cookie.clear(response);
        // Drafts and histories that the page keeps are not for the next person at this browser.
        response.setHeader('Clear-Site-Data', '"storage"');
      }
      return result;
    }
    const { data, meta, status } = result as Envelope<Record<string, unknown>>;
    const { session_token: token, ...shown } = data;
    if (typeof token !== 'string') return result;
    this.cookie.set(response, token);
    return new Envelope(shown, meta, status);
  }
}
