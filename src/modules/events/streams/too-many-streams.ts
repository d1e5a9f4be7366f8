import { DomainError } from '../../../platform/errors/domain-error.js';
import { LIMIT_ERRORS } from '../../limits/limits.errors.js';

/** Each open stream costs memory and queries in this process. */
export class TooManyStreams extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Open event stream limit reached: ${limit}.`, {
      retryAfterSeconds: 30,
      hint: 'Close a stream. One stream carries all events of an organization.',
      details: { policy: 'event_streams', limit, remaining: 0 },
    });
  }
}
