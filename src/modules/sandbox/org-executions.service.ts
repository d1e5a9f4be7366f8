import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { Features } from '../features/features.js';
import { canCoexist, isFilePath, MAX_FILES, MAX_FILES_BYTES } from './domain/files.js';
import { isAllowedHost, MAX_ALLOWED_HOSTS } from './domain/allowed-hosts.js';
import { MAX_PACKAGES, PACKAGE_SETS } from './domain/packages.js';
import { type Language, LANGUAGES, type RunOptions, type SandboxFile } from './domain/sandbox-runtime.js';
import type { CreateOrgExecutionInput } from './executions/execution-admission.service.js';
import { ExecutionsService } from './executions/executions.service.js';
import { KeyedExecutions } from './executions/keyed-executions.js';
import { untilAborted } from './executions/until-aborted.js';
import { requireAllowedHosts } from './network/requested-hosts.js';
import { type RequestedPackages, requestedPackages } from './packages/requested-packages.js';
import { EffectAlreadyBegun } from './persistence/executions.store.js';
import type { SandboxExecution } from './persistence/sandbox-execution.entity.js';
import { SandboxConcurrencyLimitExceeded } from './sandbox.errors.js';

export { isAllowedHost, LANGUAGES, MAX_ALLOWED_HOSTS, MAX_FILES, MAX_PACKAGES, PACKAGE_SETS };

const MAX_CODE_BYTES = 131_072;
const QUEUE_TIMEOUT_MS = 60_000;
/** The longest time to wait until the organization has room for one more execution. */
const ROOM_WITHIN_MS = 60_000;
const ROOM_EVERY_MS = 1_000;
/** Resolving and installing packages may take two minutes each, and others may be before them. */
export const INSTALL_WITHIN_MS = 300_000;

export interface KeyedExecutionInput extends RequestedPackages {
  readonly language: Language;
  readonly code: string;
  readonly files?: readonly SandboxFile[];
  readonly timeoutMs?: number | undefined;
  readonly memoryMib?: number | undefined;
  /** The hosts that it may connect to. Undefined for none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** True when the last expression and the figures of a program in Python are returned. */
  readonly richResults?: boolean | undefined;
  /** True when the files in `/artifacts` are kept. */
  readonly artifacts?: boolean | undefined;
  /** Identifies the work. The same key of an organization runs once. */
  readonly effectKey: string;
}

/** How a run ended. The output is null unless the code ran to its end. */
export type EndedExecution = Pick<
  SandboxExecution,
  | 'id'
  | 'status'
  | 'stdout'
  | 'stderr'
  | 'truncated'
  | 'exitCode'
  | 'durationMs'
  | 'error'
  | 'costNano'
  | 'results'
  | 'artifacts'
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
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`, also when they are not installed after five minutes.
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
    try {
      return await this.started(call, workOf(input), signal);
    } catch (error) {
      if (error instanceof EffectAlreadyBegun) return this.begin(call, input, signal);
      // It goes on, and the next call finds it.
      if (signal.aborted) throw error;
      // It may have been written, and not have reached the queue.
      await this.keyed.forgetUnstarted(call.org.id, input.effectKey);
      throw error;
    }
  }

  /** Waits until the organization has room. */
  private async started(call: Call, work: CreateOrgExecutionInput, signal: AbortSignal): Promise<string> {
    const until = this.clock.now().getTime() + ROOM_WITHIN_MS;
    for (;;) {
      signal.throwIfAborted();
      try {
        return (await untilAborted(this.executions.start(call, work, signal), signal)).id;
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

function workOf(input: KeyedExecutionInput): CreateOrgExecutionInput {
  const { language, code, files = [], timeoutMs, memoryMib, artifacts, effectKey } = input;
  const packages = requestedPackages(language, input);
  return {
    language,
    code,
    files,
    timeoutMs,
    memoryMib,
    artifacts,
    effectKey,
    options: optionsOf(input),
    stdin: '',
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
    installWithinMs: INSTALL_WITHIN_MS,
    ...(packages === undefined ? {} : { packages }),
  };
}

const optionsOf = ({ richResults, allowedHosts }: KeyedExecutionInput): RunOptions => ({
  ...(richResults === true ? { richResults } : {}),
  ...(allowedHosts === undefined ? {} : { allowedHosts }),
});

function requireValid(input: KeyedExecutionInput): void {
  const { language, code, files = [], richResults, allowedHosts } = input;
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (!LANGUAGES.includes(language)) refuse('language', 'is_in', `language must be one of: ${LANGUAGES.join(', ')}`);
  if (code === '' || Buffer.byteLength(code) > MAX_CODE_BYTES)
    refuse('code', 'max_bytes', `code must have 1 to ${MAX_CODE_BYTES} bytes of UTF-8`);
  if (files.length > MAX_FILES || bytes > MAX_FILES_BYTES)
    refuse('files', 'max_bytes', `files must be at most ${MAX_FILES} and have at most ${MAX_FILES_BYTES} bytes`);
  if (!files.every(({ path }) => isFilePath(path)) || !canCoexist(files.map(({ path }) => path)))
    refuse('files', 'is_file_path', 'files must have distinct relative paths without "..", and no reserved names');
  if (richResults === true && language !== 'python')
    refuse('rich_results', 'is_shown', 'rich_results must be false or absent unless language is python');
  requireAllowedHosts(allowedHosts);
  requestedPackages(language, input);
}

function refuse(path: string, code: string, message: string): never {
  throw new RequestInvalid([{ path, in: 'body', code, message }]);
}
