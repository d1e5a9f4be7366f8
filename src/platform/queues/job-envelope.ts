import { plainToInstance } from 'class-transformer';
import { validateOrReject } from 'class-validator';
import type { Correlation } from '../logging/request-context.js';
import type { JobDefinition } from '../background/define-job.js';

/** What Redis holds for one job: its payload, and the request that caused it. */
export interface JobEnvelope {
  readonly payload: object;
  readonly correlation?: Correlation | undefined;
}

/** Types do not cover what comes from Redis, so the payload is validated like a request. */
export async function openEnvelope<Payload extends object>(
  queue: JobDefinition<Payload>,
  envelope: JobEnvelope,
): Promise<Payload> {
  const payload = plainToInstance(queue.payload, envelope.payload);
  await validateOrReject(payload, { whitelist: true, forbidUnknownValues: true });
  return payload;
}
