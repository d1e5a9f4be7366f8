import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiConsumes } from '@nestjs/swagger';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { from, lastValueFrom, mergeMap, type Observable } from 'rxjs';
import { RequestInvalid } from '../errors/request-invalid.js';
import { MalformedJson, PayloadTooLarge, UnsupportedMediaType } from './http.errors.js';
import { nestsDeeperThan } from './json-depth.js';
import { WriteGuarantees, type WriteRule } from './write-guarantees.js';

const MAX_DEPTH = 64;
const DEFAULT_LIMIT_BYTES = 1_048_576;

interface BodyRule {
  readonly actsOutside: OutsideRule;
  /** When undefined, the route takes no body, and what is sent is not read. */
  readonly limitBytes: number | undefined;
  /** False when the body is a message that carries calls, each of which has the guarantees itself. */
  readonly isWrite: boolean;
}

/** See {@link WriteRule.actsOutside}. For some routes it depends on the body. */
type OutsideRule = boolean | ((body: Readonly<Record<string, unknown>>) => boolean);

const Body = Reflector.createDecorator<BodyRule>();

/**
 * Declares that the route reads a JSON object from its body. The body is read only after the guards have accepted the
 * caller, so that a refused caller cannot make the service parse anything.
 */
export function TakesJson({
  limitBytes = DEFAULT_LIMIT_BYTES,
  actsOutside = false,
}: { limitBytes?: number; actsOutside?: OutsideRule } = {}): MethodDecorator {
  return applyDecorators(
    Body({ limitBytes, actsOutside, isWrite: true }),
    UseInterceptors(WriteInterceptor),
    ApiConsumes('application/json'),
  );
}

/** Declares that the route writes and reads no body. */
export function TakesNothing({ actsOutside = false } = {}): MethodDecorator {
  return applyDecorators(
    Body({ limitBytes: undefined, actsOutside, isWrite: true }),
    UseInterceptors(WriteInterceptor),
  );
}

/** Declares that the route reads a JSON object that carries a call of another route, which gives the guarantees. */
export function TakesMessage({ limitBytes = DEFAULT_LIMIT_BYTES } = {}): MethodDecorator {
  return applyDecorators(Body({ limitBytes, actsOutside: false, isWrite: false }), UseInterceptors(WriteInterceptor));
}

/** Reads the body of a write and applies the guarantees that the API gives for every write. */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  private readonly parsers = new Map<number, RequestHandler>();

  constructor(
    private readonly reflector: Reflector,
    private readonly guarantees: WriteGuarantees,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const rule = this.reflector.get(Body, context.getHandler());
    const read =
      rule.limitBytes === undefined ? Promise.resolve() : this.read(request, http.getResponse(), rule.limitBytes);
    return from(read).pipe(
      mergeMap(() =>
        rule.isWrite && this.guarantees.areAskedBy(request)
          ? from(
              this.guarantees.answer(request, ruleFor(request, rule), () =>
                lastValueFrom(next.handle(), { defaultValue: undefined }),
              ),
            )
          : next.handle(),
      ),
    );
  }

  private async read(request: Request, response: Response, limitBytes: number): Promise<void> {
    if (!hasBody(request)) {
      request.body = {};
      return;
    }
    if (request.is(['application/json', '+json']) === false) {
      const sent = request.headers['content-type'];
      throw new UnsupportedMediaType(
        sent === undefined
          ? 'The request body has no Content-Type.'
          : 'The Content-Type of the request body is not JSON.',
      );
    }
    await new Promise<void>((resolve, reject) => {
      this.parser(limitBytes)(request, response, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(toRefusal(error, limitBytes));
      });
    });
    if (Array.isArray(request.body)) {
      throw new RequestInvalid([
        {
          path: '',
          in: 'body',
          code: 'is_object',
          message: 'The body must be a JSON object.',
          expected: 'object',
          received: 'array',
        },
      ]);
    }
  }

  private parser(limitBytes: number): RequestHandler {
    let parser = this.parsers.get(limitBytes);
    if (parser === undefined) {
      parser = express.json({
        limit: limitBytes,
        type: () => true,
        verify: (_request, _response, text) => {
          // The parser sets its own status on this error, which one of the service's errors would not allow.
          if (nestsDeeperThan(text, MAX_DEPTH)) throw new Error('too deep');
        },
      }) as RequestHandler;
      this.parsers.set(limitBytes, parser);
    }
    return parser;
  }
}

const ruleFor = ({ body }: Request, { actsOutside }: BodyRule): WriteRule => ({
  actsOutside: typeof actsOutside === 'function' ? actsOutside((body ?? {}) as Record<string, unknown>) : actsOutside,
});

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** Translates the parser's errors. Anything that it does not name is a fault of the text. */
function toRefusal(error: unknown, limitBytes: number): Error {
  const { type = '', message } = error as { type?: string; message?: string };
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLarge(limitBytes);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType(`The request body cannot be read: ${String(message)}.`);
    case 'entity.parse.failed':
      return new MalformedJson('it cannot be parsed.');
    case 'entity.verify.failed':
      return new MalformedJson(`it nests deeper than ${MAX_DEPTH} levels.`);
    case 'request.aborted':
    case 'request.size.invalid':
      return new MalformedJson('it is incomplete.');
    default:
      return new MalformedJson('it cannot be decoded.');
  }
}
