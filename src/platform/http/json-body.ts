import { applyDecorators, type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiConsumes } from '@nestjs/swagger';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { MalformedJson, PayloadTooLarge, RequestInvalid, UnsupportedMediaType } from './http.errors.js';
import { nestsDeeperThan } from './json-depth.js';

const MAX_DEPTH = 64;
const DEFAULT_LIMIT_BYTES = 1_048_576;

const BodyLimit = Reflector.createDecorator<number>();

/**
 * The route reads a JSON object from its body. The body is read only after the guards have let the caller in, so that
 * a caller who is refused cannot make us parse anything.
 */
export function TakesJson({ limitBytes = DEFAULT_LIMIT_BYTES } = {}): MethodDecorator {
  return applyDecorators(BodyLimit(limitBytes), UseInterceptors(JsonBodyInterceptor), ApiConsumes('application/json'));
}

@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  private readonly parsers = new Map<number, RequestHandler>();

  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const limitBytes = this.reflector.get(BodyLimit, context.getHandler());
    return from(this.read(http.getRequest(), http.getResponse(), limitBytes)).pipe(mergeMap(() => next.handle()));
  }

  private async read(request: Request, response: Response, limitBytes: number): Promise<void> {
    if (!hasBody(request)) {
      request.body = {};
      return;
    }
    if (request.is(['application/json', '+json']) === false) {
      const sent = request.headers['content-type'];
      throw new UnsupportedMediaType(sent === undefined ? 'The request body has no Content-Type.' : 'The request body is not sent as JSON.');
    }
    await new Promise<void>((resolve, reject) => {
      this.parser(limitBytes)(request, response, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(toRefusal(error, limitBytes));
      });
    });
    if (Array.isArray(request.body)) {
      throw new RequestInvalid([{ path: '', in: 'body', code: 'is_object', message: 'The body must be a JSON object.', expected: 'object', received: 'array' }]);
    }
  }

  private parser(limitBytes: number): RequestHandler {
    let parser = this.parsers.get(limitBytes);
    if (parser === undefined) {
      parser = express.json({
        limit: limitBytes,
        type: () => true,
        verify: (_request, _response, text) => {
          // The parser gives this error a status of its own, which ours would not let it.
          if (nestsDeeperThan(text, MAX_DEPTH)) throw new Error('too deep');
        },
      }) as RequestHandler;
      this.parsers.set(limitBytes, parser);
    }
    return parser;
  }
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** What the parser says, in our words; anything it does not name is a fault of the text. */
function toRefusal(error: unknown, limitBytes: number): Error {
  const { type = '', message } = error as { type?: string; message?: string };
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLarge(limitBytes);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType(`The request body cannot be read: ${String(message)}.`);
    case 'entity.parse.failed':
      return new MalformedJson('it is not a valid JSON object.');
    case 'entity.verify.failed':
      return new MalformedJson(`it nests deeper than ${MAX_DEPTH} levels.`);
    case 'request.aborted':
    case 'request.size.invalid':
      return new MalformedJson('it is not complete.');
    default:
      return new MalformedJson('it cannot be decoded.');
  }
}
