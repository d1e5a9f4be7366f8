import { Injectable } from '@nestjs/common';
import {
  SessionDiskFull,
  SessionEnded,
  SessionFileNotFound,
  SessionFileTooLarge,
  SessionPathInvalid,
  type SessionProcess,
} from '../host/session-process.js';
import {
  decodeMessage,
  encodeMessage,
  type RecordedWork,
  type SessionAnswer,
  type SessionRefusal,
  type SessionRequest,
} from '../line/session-messages.js';
import type { HeldSession } from './held-session.js';
import { HeldSessions } from './held-sessions.js';
import { SessionRuns } from './session-runs.js';
import { TurnNotReached } from './session-turns.js';

const REFUSALS: readonly (readonly [new () => Error, SessionRefusal])[] = [
  [SessionEnded, 'gone'],
  [TurnNotReached, 'busy'],
  [SessionFileNotFound, 'file_not_found'],
  [SessionFileTooLarge, 'file_too_large'],
  [SessionDiskFull, 'disk_full'],
  [SessionPathInvalid, 'path_invalid'],
];

type PathRequest = Extract<SessionRequest, { readonly path: string }>;

/** Does what the API asks of the sessions of this worker. */
@Injectable()
export class SessionAnswers {
  constructor(
    private readonly held: HeldSessions,
    private readonly runs: SessionRuns,
  ) {}

  async answer(body: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { head, content } = decodeMessage<SessionRequest & { readonly sessionId: string }>(body);
    const session = this.held.find(head.sessionId);
    if (session === undefined) return encodeMessage({ refusal: 'gone' } satisfies SessionAnswer);
    try {
      return await this.do(session, head, { content, signal });
    } catch (error) {
      const refusal = REFUSALS.find(([type]) => error instanceof type)?.[1];
      if (refusal === undefined) throw error;
      return encodeMessage({ refusal } satisfies SessionAnswer);
    }
  }

  private async do(
    session: HeldSession,
    request: SessionRequest,
    { content, signal }: { readonly content: Buffer; readonly signal: AbortSignal },
  ): Promise<Buffer> {
    switch (request.do) {
      case 'run':
      case 'shell':
        return this.record(session, request, signal);
      case 'freeze':
        return encodeMessage((await session.freeze()) ? {} : ({ refusal: 'busy' } satisfies SessionAnswer));
      case 'end':
        await this.held.end(session.facts.id, request.reason);
        return encodeMessage({});
      case 'list':
      case 'read':
      case 'write':
      case 'remove':
        return this.doFiles(session, request, content);
    }
  }

  private async record(session: HeldSession, work: RecordedWork, signal: AbortSignal): Promise<Buffer> {
    if (work.isDetached === true) this.runs.begin(session, work);
    else await this.runs.record(session, work, signal);
    return encodeMessage({});
  }

  private doFiles(session: HeldSession, { do: what, path }: PathRequest, content: Buffer): Promise<Buffer> {
    const work = async (process: SessionProcess): Promise<Buffer> => {
      switch (what) {
        case 'list':
          return encodeMessage({ files: await process.listFiles(path) } satisfies SessionAnswer);
        case 'read':
          return encodeMessage({}, await process.readFile(path));
        case 'write':
          await process.writeFile(path, content);
          return encodeMessage({});
        case 'remove':
          await process.removeFile(path);
          return encodeMessage({});
      }
    };
    return session.use(work, true);
  }
}
