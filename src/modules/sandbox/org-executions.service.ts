import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { Features } from '../features/features.js';
import { canCoexist, isFilePath, MAX_FILES, MAX_FILES_BYTES } from './domain/files.js';
import { type Language, LANGUAGES, type SandboxFile } from './domain/sandbox-runtime.js';
import type { CreateOrgExecutionInput } from './executions/execution-admission.service.js';
import { ExecutionsService } from './executions/executions.service.js';
import { KeyedExecutions } from './executions/keyed-executions.js';
import { EffectAlreadyBegun } from './persistence/executions.store.js';
import type { SandboxExecution } from './persistence/sandbox-execution.entity.js';
import { SandboxConcurrencyLimitExceeded } from './sandbox.errors.js';

export { LANGUAGES, MAX_FILES };

const MAX_CODE_BYTES = 131_072;
const QUEUE_TIMEOUT_MS = 60_000;
/** The longest time to wait until the organization has room for one more execution. */
const ROOM_WITHIN_MS = 60_000;
const ROOM_EVERY_MS = 1_000;

export interface KeyedExecutionInput {
  readonly language: Language;
  readonly code: string;
  readonly files?: readonly SandboxFile[];
  readonly timeoutMs?: number | undefined;
  readonly memoryMib?: number | undefined;
  /** Identifies the work. The same key of an organization runs once. */
  readonly effectKey: string;
}

/** How a run ended. The output is null unless the code ran to its end. */
export type EndedExecution = Pick<
  SandboxExecution,
  'id' | 'status' | 'stdout' | 'stderr' | 'truncated' | 'exitCode' | 'durationMs' | 'error' | 'costNano'
>;

/** Runs code for work that may be repeated after a crash: the same work runs and costs once. */
@Injectable()
export class OrgExecutionsService {
  constructor(
    private readonly features: Features,
    private readonly executions: ExecutionsService,
    private readonly keyed: KeyedExecutions,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the result of the execution with this key, after waiting for its end, and begins it if there is none. An
   * execution that never left the queue begins again. An aborted `signal` ends the wait and not the execution.
   *
   * @throws {RequestInvalid} `invalid_request`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureDisabled} `feature_disabled`
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`, after a minute without room.
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async run(call: Call, input: KeyedExecutionInput, signal: AbortSignal): Promise<EndedExecution> {
    call.principal.require('sandbox:execute', call.org.id);
    requireValid(input);
    for (;;) {
      const id = await this.begin(call, input, signal);
      const ended = await this.keyed.end(id, signal);
      if (!neverStarted(ended)) return ended;
      // The platform gave it up in the queue, so nothing ran and nothing was charged.
      await this.keyed.forgetUnstarted(call.org.id, input.effectKey);
    }
  }

  private async begin(call: Call, input: KeyedExecutionInput, signal: AbortSignal): Promise<string> {
    const found = await this.keyed.find(call.org.id, input.effectKey);
    if (found !== null) return found.id;
    this.features.require('sandbox_executions');
    const { language, code, files = [], timeoutMs, memoryMib, effectKey } = input;
    const work = {
      language,
      code,
      files,
      timeoutMs,
      memoryMib,
      effectKey,
      stdin: '',
      queueTimeoutMs: QUEUE_TIMEOUT_MS,
    };
    try {
      return await this.started(call, work, signal);
    } catch (error) {
      if (error instanceof EffectAlreadyBegun) return this.begin(call, input, signal);
      // It may have been written, and not have reached the queue.
      await this.keyed.forgetUnstarted(call.org.id, effectKey);
      throw error;
    }
  }

  /** Waits until the organization has room. */
  private async started(call: Call, work: CreateOrgExecutionInput, signal: AbortSignal): Promise<string> {
    const until = this.clock.now().getTime() + ROOM_WITHIN_MS;
    for (;;) {
      signal.throwIfAborted();
      try {
        return (await this.executions.start(call, work)).id;
      } catch (error) {
        const isLate = this.clock.now().getTime() >= until;
        if (!(error instanceof SandboxConcurrencyLimitExceeded) || isLate) throw error;
      }
      await sleep(ROOM_EVERY_MS, undefined, { signal });
    }
  }
}

const neverStarted = ({ status, startedAt, finishedAt, givesUpAt }: SandboxExecution): boolean =>
  status === 'cancelled' && startedAt === null && finishedAt !== null && finishedAt >= givesUpAt;

function requireValid({ language, code, files = [] }: KeyedExecutionInput): void {
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (!LANGUAGES.includes(language)) refuse('language', 'is_in', `language must be one of: ${LANGUAGES.join(', ')}`);
  if (code === '' || Buffer.byteLength(code) > MAX_CODE_BYTES)
    refuse('code', 'max_bytes', `code must have 1 to ${MAX_CODE_BYTES} bytes of UTF-8`);
  if (files.length > MAX_FILES || bytes > MAX_FILES_BYTES)
    refuse('files', 'max_bytes', `files must be at most ${MAX_FILES} and have at most ${MAX_FILES_BYTES} bytes`);
  if (!files.every(({ path }) => isFilePath(path)) || !canCoexist(files.map(({ path }) => path)))
    refuse('files', 'is_file_path', 'files must have distinct relative paths without "..", and no reserved names');
}

function refuse(path: string, code: string, message: string): never {
  throw new RequestInvalid([{ path, in: 'body', code, message }]);
}
