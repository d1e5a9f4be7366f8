import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../../../platform/config/config.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { OperatorTokenInvalid, OperatorTokenUnset } from '../auth.errors.js';
import { type OperatorSurface, RequireOperatorToken } from '../require-operator-token.js';

const SETTING: Record<OperatorSurface, string> = { ops: 'OPS_TOKEN', money: 'OPS_TOKEN', metrics: 'METRICS_TOKEN' };

/** Lets the holder of `OPS_TOKEN` or `METRICS_TOKEN` in (service document §5). */
@Injectable()
export class OperatorTokenGuard implements CanActivate {
  private readonly surfaces: RouteMetadata<OperatorSurface>;

  constructor(
    reflector: Reflector,
    private readonly config: Config,
  ) {
    this.surfaces = new RouteMetadata(reflector, RequireOperatorToken);
  }

  /**
   * @throws {OperatorTokenInvalid} `invalid_token`
   * @throws {OperatorTokenUnset} `invalid_token`: no token is right, because none is set.
   */
  canActivate(context: ExecutionContext): boolean {
    const surface = this.surfaces.of(context);
    if (surface === undefined) return true;

    const token = surface === 'metrics' ? this.config.metricsToken : this.config.opsToken;
    if (token === undefined) {
      if (surface === 'money') throw new OperatorTokenUnset(SETTING[surface]);
      return true;
    }
    const given = bearerTokenOf(context.switchToHttp().getRequest<Request>());
    if (given === undefined || !isSame(given, token)) throw new OperatorTokenInvalid(SETTING[surface]);
    return true;
  }
}

const bearerTokenOf = (request: Request): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** Hashes have one length, so that the comparison takes the same time however much of the token is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash(given), hash(token));
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
