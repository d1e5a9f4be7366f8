import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ScimMetrics } from '../metrics/scim.metrics.js';
import { ScimAuthenticator } from '../tokens/scim-authenticator.js';
import { noteCall } from './scim-answers.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Admits providers by their SCIM token. No other credential opens anything here. */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly authenticator: ScimAuthenticator,
    private readonly metrics: ScimMetrics,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    response.once('finish', () => {
      this.metrics.answered(response.statusCode);
    });
    noteCall(
      request,
      await this.authenticator.authenticate({
        token: BEARER.exec(request.headers.authorization ?? '')?.[1],
        connectionId: String(request.params['connection_id']),
        ip: request.ip ?? '',
      }),
    );
    return true;
  }
}
