import { applyDecorators, Header, HttpCode, HttpStatus, Options } from '@nestjs/common';
import { Public } from '../../../platform/http/public.js';

/** Pages of every origin may read the answer. It depends on no cookie. */
export const AnyOrigin = (): MethodDecorator => Header('Access-Control-Allow-Origin', '*');

/** Answers the preflight requests of pages that are clients. The headers are the whole answer. */
export const AnswersPreflight = (path: string): MethodDecorator =>
  applyDecorators(
    Options(path),
    Public(),
    HttpCode(HttpStatus.NO_CONTENT),
    AnyOrigin(),
    Header('Access-Control-Allow-Methods', 'GET, POST'),
    Header('Access-Control-Allow-Headers', 'authorization, content-type, mcp-protocol-version'),
    Header('Access-Control-Max-Age', '3600'),
  );
