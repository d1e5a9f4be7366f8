import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { LANGUAGES } from '../../sandbox/org-executions.service.js';
import {
  type EndedSessionWork,
  type KeyedSessionInput,
  OrgSessionsService,
} from '../../sandbox/org-sessions.service.js';
import { RunObservers } from '../run-observers.js';
import { type CodeInput, CodeTool, extrasOf } from './code-tool.js';
import { answerOf, MAX_CODE_BYTES } from './execution-answer.js';
import { failed, inputOf } from './single-tool.js';

interface Input extends CodeInput {
  readonly language: KeyedSessionInput['language'];
  readonly code?: string;
  readonly command?: string;
  readonly timeout_ms?: number;
  readonly artifacts?: boolean;
}

/** Runs code in an interpreter that a run keeps from step to step. It ends with the run. */
@Injectable()
export class RunInSessionTool extends CodeTool {
  readonly name = 'run_in_session';
  readonly summary = 'Runs code and commands of the shell in an interpreter that the run keeps between its steps.';
  readonly description =
    'Runs code in an interpreter that keeps variables, imports and files until this run ends, or runs a command of ' +
    'the shell in its working directory. Send either `code` or `command`. Each language has an interpreter of its ' +
    'own. The first call names its packages and hosts. Leave them out later: a call that names others begins a new ' +
    'interpreter. When `session_id` is another one than before, variables and files are gone; with `state_lost`, ' +
    'only variables are. The value of the last expression is in `results`; figures are only named there: save them ' +
    'in /artifacts. With `artifacts`, the files in /artifacts are kept for a day, for people to download and for ' +
    'read_artifact, and removed there. read_session_file reads other files. The time of runs is charged.';
  readonly inputSchema = inputOf(
    {
      language: { type: 'string', enum: [...LANGUAGES] },
      code: { type: 'string', minLength: 1, maxLength: MAX_CODE_BYTES },
      command: { type: 'string', minLength: 1, maxLength: MAX_CODE_BYTES },
      timeout_ms: { type: 'integer', minimum: 1, maximum: 3_600_000 },
      artifacts: { type: 'boolean' },
    },
    ['code', 'command', 'timeout_ms', 'artifacts'],
  );

  constructor(
    tools: AgentTools,
    observers: RunObservers,
    private readonly sessions: OrgSessionsService,
    private readonly database: Database,
    private readonly log: Log,
  ) {
    super();
    tools.register(this);
    observers.register(({ id }) => this.database.afterCommit(() => this.endSessionsOf(id)));
  }

  protected async run({ input, caller, run, effectKey, signal }: ToolCall): Promise<ToolOutcome> {
    const asked = input as unknown as Input;
    const { language, code, command, timeout_ms: timeoutMs, artifacts } = asked;
    const text = code ?? command;
    if (text === undefined || (code !== undefined && command !== undefined))
      return failed('invalid_request', 'Send either code or command.');
    if (Buffer.byteLength(text) > MAX_CODE_BYTES || (command?.includes('\0') ?? false))
      return failed(
        'invalid_request',
        `code and command have at most ${MAX_CODE_BYTES} bytes, and a command has no NUL.`,
      );
    const kind = code === undefined ? 'shell' : 'run';
    const work = { runId: run.id, language, do: kind, text, timeoutMs, artifacts, effectKey } as const;
    const ended = await this.sessions.run(caller, { ...work, ...extrasOf(asked) }, signal);
    return answerOf(ended, { quotesOthers: ended.quotesOthers, fields: ownFieldsOf(ended) });
  }

  /** A session that is missed here ends when it is not used. */
  private async endSessionsOf(runId: string): Promise<void> {
    try {
      await this.sessions.endAllOf(runId);
    } catch (error) {
      this.log.warn({ runId, error }, 'The sandbox sessions of a run did not end with it.');
    }
  }
}

const ownFieldsOf = ({ sessionId, stateLost }: EndedSessionWork): object => ({
  session_id: sessionId,
  results: [],
  ...(stateLost === true ? { state_lost: true } : {}),
});
