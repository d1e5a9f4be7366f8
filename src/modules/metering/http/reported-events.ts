import { Injectable } from '@nestjs/common';
import { RequestValidation } from '../../../platform/http/validation.js';
import { MAX_EVENTS, ReportUsageBody } from './usage-events.dto.js';

/** An interface and no class: then the validation of all bodies leaves it to {@link ReportedEvents}. */
export interface Reported {
  /** As they came. */
  readonly events: readonly unknown[];
}

/**
 * Checks a body but for its events, each of which is judged by itself: the validation of all other bodies would walk
 * through them four times and copy each, which takes as long as to record them.
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
