import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestValidation } from '../../../platform/http/validation.js';
import { MAX_EVENTS, ReportUsageBody } from './usage-events.dto.js';

const BodyAsItCame = createParamDecorator((_: unknown, context: ExecutionContext): unknown => context.switchToHttp().getRequest<Request>().body);

/**
 * Checks a body but for its events, each of which is judged by itself: the validation of all other bodies would walk through them
 * four times and copy each, which takes as long as to record them.
 */
@Injectable()
class ValidationOfTheRest extends RequestValidation {
  override async transform(value: unknown): Promise<ReportUsageBody> {
    const body = value as { readonly events?: unknown };
    const { events } = body;
    const metadata = { type: 'body', metatype: ReportUsageBody } as const;
    if (!Array.isArray(events)) return await super.transform(body, metadata) as ReportUsageBody;
    await super.transform({ ...body, events: new Array<null>(Math.min(events.length, MAX_EVENTS + 1)).fill(null) }, metadata);
    return { events };
  }
}

/** The body of the request: its events, as they came. */
export const ReportedEvents = (): ParameterDecorator => BodyAsItCame(ValidationOfTheRest);
