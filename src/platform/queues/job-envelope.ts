import { plainToInstance } from 'class-transformer';
import { validateOrReject } from 'class-validator';
import type { Correlation } from '../logging/request-context.js';
import type { JobDefinition } from '../background/define-job.js';

/** What lies in Redis for one job: its payload, and for which request it works. */
export interface JobEnvelope {
  readonly payload: object;
  readonly correlation?: Correlation | undefined;
}

/** Redis is outside of the types: what comes back from it is checked like a request. */
export async function openEnvelope<Payload extends object>(
  queue: JobDefinition<Payload>,
  envelope: JobEnvelope,
): Promise<Payload> {
  const payload = plainToInstance(queue.payload, envelope.payload);
  await validateOrReject(payload, { whitelist: true, forbidUnknownValues: true });
  return payload;
}
