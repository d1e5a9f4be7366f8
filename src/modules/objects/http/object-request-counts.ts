import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ObjectMetrics, type ObjectResult, resultOf } from '../metrics/object.metrics.js';
import type { S3OperationName } from '../s3/s3-routes.js';
import { hasCallerLeft } from '../serving/caller-left.js';

/** Names what a route of the API does as S3 would. S3 clients sign parts themselves. */
export const CountsAs = Reflector.createDecorator<S3OperationName | 'SignParts'>();

/** Counts requests of the API for objects, each under the name that its route has with {@link CountsAs}. */
@Injectable()
export class ObjectRequestCounts implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly metrics: ObjectMetrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = this.reflector.get(CountsAs, context.getHandler());
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      tap({
        complete: () => {
          this.metrics.answered('api', operation, 'ok');
        },
        error: (error: unknown) => {
          this.metrics.answered('api', operation, failureOf(error, response));
        },
      }),
    );
  }
}

function failureOf(error: unknown, response: Response): ObjectResult {
  if (error instanceof DomainError) return resultOf(error.status);
  return error instanceof CallerHungUp || hasCallerLeft(error, response) ? 'refused' : 'error';
}
