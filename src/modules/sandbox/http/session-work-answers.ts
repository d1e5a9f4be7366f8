import { HttpStatus, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { hangUpOf } from '../../../platform/http/hang-up.js';
import { wantsEventStream } from '../../../platform/http/last-event-id.js';
import { requireNoKey } from '../../../platform/http/streamed-write.js';
import type { Call } from '../../auth/caller.js';
import { type SessionWorkInput, SessionWorkService } from '../sessions/session-work.service.js';
import { ExecutionEvents, STREAM_TYPE } from './execution-events.js';
import { OrgExecutionView, RehearsalView } from './executions.dto.js';

export interface WorkCall {
  readonly call: Call;
  /** The session. */
  readonly id: string;
  readonly body: { readonly input: SessionWorkInput; readonly wait: boolean };
}

/** Answers a run or a command with its result, its beginning, a stream, or what it would cost. */
@Injectable()
export class SessionWorkAnswers {
  constructor(
    private readonly work: SessionWorkService,
    private readonly events: ExecutionEvents,
  ) {}

  async answer(
    { call, id, body }: WorkCall,
    response: Response,
  ): Promise<Envelope<OrgExecutionView | RehearsalView> | undefined> {
    const { input, wait } = body;
    if (isDryRun(response.req)) {
      const rehearsed = await this.work.rehearse(call, id, input);
      return new Envelope(RehearsalView.ofPaid(rehearsed.language, rehearsed), { dry_run: true });
    }
    const hangUp = hangUpOf(response);
    if (wantsEventStream(response.req)) {
      requireNoKey(response.req, STREAM_TYPE);
      await this.events.sendOfOrg(response, await this.work.stream(call, id, body, hangUp));
      return undefined;
    }
    if (wait) return new Envelope(OrgExecutionView.of(await this.work.run(call, id, input, hangUp)));
    const execution = await this.work.start(call, id, input);
    return new Envelope(OrgExecutionView.ofQueued(execution), {}, HttpStatus.ACCEPTED);
  }
}
