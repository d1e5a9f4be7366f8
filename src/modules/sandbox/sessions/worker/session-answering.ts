import { Injectable } from '@nestjs/common';
import { RedisCalls } from '../../../../platform/redis/redis-calls.js';
import { addressOfHolder } from '../line/session-messages.js';
import { HeldSessions } from './held-sessions.js';
import { SessionAnswers } from './session-answers.js';

/** Listens to calls about the sessions of this worker. */
@Injectable()
export class SessionAnswering {
  constructor(
    private readonly calls: RedisCalls,
    private readonly held: HeldSessions,
    private readonly answers: SessionAnswers,
  ) {}

  begin(): Promise<void> {
    return this.calls.answer(addressOfHolder(this.held.workerId), (body, signal) => this.answers.answer(body, signal));
  }

  async end(): Promise<void> {
    await this.calls.stop(addressOfHolder(this.held.workerId)).catch(() => undefined);
  }
}
