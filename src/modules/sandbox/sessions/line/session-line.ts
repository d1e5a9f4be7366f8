import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../../platform/errors/request-invalid.js';
import { CallFailed, CallUnanswered, CallUnreachable, RedisCalls } from '../../../../platform/redis/redis-calls.js';
import { isLiveSession } from '../../domain/session-state.js';
import type { SandboxSession } from '../../persistence/sandbox-session.entity.js';
import {
  SandboxSessionBusy,
  SandboxSessionFull,
  SandboxSessionOver,
  SandboxUnavailable,
  SessionFileBeyondLimit,
  SessionFileMissing,
} from '../../sandbox.errors.js';
import { MAX_SESSION_FILE_BYTES } from '../host/session-process.js';
import { SandboxSessionsStore } from '../../persistence/sandbox-sessions.store.js';
import {
  addressOfHolder,
  decodeMessage,
  encodeMessage,
  type Message,
  type SessionAnswer,
  type SessionRefusal,
  type SessionRequest,
} from './session-messages.js';

export interface Asked {
  readonly request: SessionRequest;
  readonly content?: Buffer;
  readonly withinMs: number;
  readonly signal?: AbortSignal;
}

type Holder = Pick<SandboxSession, 'id' | 'workerId' | 'status' | 'endReason'>;

/** Asks the worker that holds a session. */
@Injectable()
export class SessionLine {
  constructor(
    private readonly calls: RedisCalls,
    private readonly sessions: SandboxSessionsStore,
  ) {}

  /**
   * @throws {SandboxSessionOver} `sandbox_session_over`
   * @throws {SandboxSessionBusy} `sandbox_session_busy`
   * @throws {SessionFileMissing} `session_file_not_found`
   * @throws {SessionFileBeyondLimit} `payload_too_large`
   * @throws {SandboxSessionFull} `sandbox_session_full`
   * @throws {RequestInvalid} `invalid_request` for a path that no file of the session can have.
   * @throws {SandboxUnavailable} `sandbox_unavailable` when the worker does not answer.
   * @throws the reason of `signal` when it is aborted.
   */
  async ask(session: Holder, asked: Asked): Promise<Message<SessionAnswer>> {
    requireLive(session);
    const answer = await this.send(session, asked);
    if (answer.head.refusal !== undefined) throw await this.errorOf(session, answer.head.refusal);
    return answer;
  }

  private async send({ id, workerId }: Holder, { request, content, withinMs, signal }: Asked) {
    // It has not started yet.
    if (workerId === null) throw new SandboxUnavailable([]);
    const body = encodeMessage({ sessionId: id, ...request }, content);
    try {
      const answer = await this.calls.call({ address: addressOfHolder(workerId), body, withinMs, signal });
      return decodeMessage<SessionAnswer>(answer);
    } catch (error) {
      if (error instanceof CallUnreachable || error instanceof CallUnanswered || error instanceof CallFailed)
        throw new SandboxUnavailable([], error);
      throw error;
    }
  }

  private async errorOf({ id }: Holder, refusal: SessionRefusal): Promise<Error> {
    switch (refusal) {
      case 'gone': {
        // The row may be written a moment later.
        const { status, endReason } = await this.sessions.get(id);
        return new SandboxSessionOver(isLiveSession(status) ? 'ended' : status, endReason);
      }
      case 'busy':
        return new SandboxSessionBusy();
      case 'file_not_found':
        return new SessionFileMissing();
      case 'file_too_large':
        return new SessionFileBeyondLimit(MAX_SESSION_FILE_BYTES);
      case 'disk_full':
        return new SandboxSessionFull();
      case 'path_invalid':
        return invalidPath();
    }
  }
}

/** @throws {SandboxSessionOver} `sandbox_session_over` */
export function requireLive({ status, endReason }: Pick<SandboxSession, 'status' | 'endReason'>): void {
  if (!isLiveSession(status)) throw new SandboxSessionOver(status, endReason);
}

const invalidPath = (): RequestInvalid =>
  new RequestInvalid([
    {
      path: 'path',
      in: 'query',
      code: 'is_session_path',
      message: 'path must be a relative path in the working directory, without "..", that a file can have.',
    },
  ]);
