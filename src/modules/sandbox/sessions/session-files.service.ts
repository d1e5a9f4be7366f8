import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { JOB_ID } from '../../../platform/ids/platform.ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { SandboxSessionLimitReached } from '../sandbox.errors.js';
import type { SessionFile } from './host/session-process.js';
import { requireLive, SessionLine } from './line/session-line.js';
import { SandboxSessionsService } from './sandbox-sessions.service.js';

/** Files are in the memory of this process and of Redis on their way, so an organization moves only a few at once. */
const TRANSFERS = { name: 'sandbox-files', places: 4, lifetimeMs: 150_000 };
/** A large file takes seconds where processors are contended. */
const DONE_WITHIN_MS = 60_000;
const RETRY_AFTER_SECONDS = 1;

/** The files of sessions. All paths are resolved inside the isolation of the session. */
@Injectable()
export class SessionFilesService {
  constructor(
    private readonly sessions: SandboxSessionsService,
    private readonly line: SessionLine,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly plansSettings: PlansSettings,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the entries of a directory.
   *
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   * @throws {SessionFileMissing} `session_file_not_found`
   * @throws {RequestInvalid} `invalid_request`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async list(call: Call, id: string, path: string): Promise<readonly SessionFile[]> {
    const session = await this.live(call, id);
    const { head } = await this.line.ask(session, { request: { do: 'list', path }, withinMs: DONE_WITHIN_MS });
    return head.files ?? [];
  }

  /**
   * @throws as {@link list}.
   * @throws {SessionFileBeyondLimit} `payload_too_large`
   * @throws {SandboxSessionLimitReached} `concurrency_limit_exceeded`
   */
  async read(call: Call, id: string, path: string): Promise<Buffer> {
    const session = await this.live(call, id);
    return this.transfer(session, async () => {
      const { content } = await this.line.ask(session, { request: { do: 'read', path }, withinMs: DONE_WITHIN_MS });
      return content;
    });
  }

  /**
   * Writes a file, and the directories that it is in.
   *
   * @param receive reads the content; it is called only when the file may be written.
   * @throws as {@link read}.
   * @throws {SandboxSessionFull} `sandbox_session_full`
   */
  async write(call: Call, id: string, path: string, receive: () => Promise<Buffer>): Promise<void> {
    const session = await this.live(call, id);
    await this.transfer(session, async () => {
      const content = await receive();
      await this.line.ask(session, { request: { do: 'write', path }, content, withinMs: DONE_WITHIN_MS });
    });
  }

  /** Removes a file, or a directory with all that it contains. @throws as {@link list}. */
  async remove(call: Call, id: string, path: string): Promise<void> {
    const session = await this.live(call, id);
    await this.line.ask(session, { request: { do: 'remove', path }, withinMs: DONE_WITHIN_MS });
  }

  /**
   * Returns nothing if the files of the session could be changed now.
   *
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   */
  async rehearse(call: Call, id: string): Promise<void> {
    await this.live(call, id);
  }

  private async live(call: Call, id: string): Promise<SandboxSession> {
    const session = await this.sessions.get(call, id);
    requireLive(session);
    return session;
  }

  private async transfer<T>({ orgId }: SandboxSession, work: () => Promise<T>): Promise<T> {
    const holder = this.ids.next(JOB_ID);
    if (!(await this.concurrency.take(TRANSFERS, orgId, holder)))
      throw new SandboxSessionLimitReached('transfers of session files', {
        policy: 'sandbox_session_files',
        limit: TRANSFERS.places,
        remaining: 0,
        resetsAt: new Date(this.clock.now().getTime() + RETRY_AFTER_SECONDS * 1_000),
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        upgradeUrl: this.plansSettings.pricingUrl,
      });
    try {
      return await work();
    } finally {
      await this.concurrency.end(TRANSFERS, orgId, holder);
    }
  }
}
