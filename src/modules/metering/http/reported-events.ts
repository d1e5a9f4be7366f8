import { Injectable } from '@nestjs/common';
import { RequestValidation } from '../../../platform/http/validation.js';
import { MAX_EVENTS, ReportUsageBody } from './usage-events.dto.js';

/** An interface rather than a class, so that only {@link ReportedEvents} validates the body. */
export interface Reported {
  /** The events as they were sent. */
  readonly events: readonly unknown[];
}

/**
 * Validates a body except for its events, which the intake judges one by one. The general validation would walk through
 * them four times and copy each, which takes as long as recording them.
 */
@Injectable()
export class ReportedEvents extends RequestValidation {
  override async transform(value: unknown): Promise<Reported> {
    const body = value as { readonly events?: unknown };
    const { events } = body;
    const metadata = { type: 'body', metatype: ReportUsageBody } as const;
    if (!Array.isArray(events)) return (await super.transform(body, metadata)) as ReportUsageBody;
    await super.transform(
      { ...body, events: new Array<null>(Math.min(events.length, MAX_EVENTS + 1)).fill(null) },
      metadata,
    );
    return { events };
  }
}
