import { Injectable } from '@nestjs/common';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import {
  type EndedExecution,
  type KeyedExecutionInput,
  LANGUAGES,
  MAX_FILES,
  OrgExecutionsService,
} from '../../sandbox/org-executions.service.js';
import { cutText, storable } from './bounded-text.js';
import { failed, inputOf, SingleTool, succeeded } from './single-tool.js';

const MAX_OUTPUT_BYTES = 65_536;

interface Input extends Pick<KeyedExecutionInput, 'language' | 'code' | 'files'> {
  readonly timeout_ms?: number;
  readonly memory_mib?: number;
}

/** Runs code in the sandbox, within the plan of the organization. */
@Injectable()
export class RunCodeTool extends SingleTool {
  readonly name = 'run_code';
  readonly summary = 'Runs TypeScript, JavaScript or Python in the sandbox.';
  readonly description =
    'Runs a program in a sandbox without network and returns its output and exit code. Nothing is kept between runs. ' +
    'Print what you want to know. The time that it runs is charged.';
  readonly inputSchema = inputOf(
    {
      language: { type: 'string', enum: [...LANGUAGES] },
      code: { type: 'string', minLength: 1, maxLength: 131_072 },
      files: {
        type: 'array',
        maxItems: MAX_FILES,
        items: inputOf({ path: { type: 'string', maxLength: 200 }, content: { type: 'string', maxLength: 262_144 } }),
        description: 'Files in the working directory of the program, 256 KiB together.',
      },
      timeout_ms: { type: 'integer', minimum: 1, maximum: 3_600_000 },
      memory_mib: { type: 'integer', minimum: 64, maximum: 65_536 },
    },
    ['files', 'timeout_ms', 'memory_mib'],
  );
  readonly effect = 'keyed';
  override readonly scopes: readonly Scope[] = ['sandbox:execute'];

  constructor(
    tools: AgentTools,
    private readonly executions: OrgExecutionsService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller, effectKey, signal }: ToolCall): Promise<ToolOutcome> {
    const { language, code, files = [], timeout_ms: timeoutMs, memory_mib: memoryMib } = input as unknown as Input;
    const work = { language, code, files, timeoutMs, memoryMib, effectKey };
    const ended = await this.executions.run(caller, work, signal);
    if (ended.status === 'lost')
      return failed('execution_lost', 'The platform lost the run, so it is unknown whether the code ran. It was free.');
    if (ended.status === 'cancelled') return failed('execution_cancelled', 'A person cancelled the run of the code.');
    return succeeded(outputOf(ended));
  }
}

function outputOf({ id, status, stdout, stderr, truncated, exitCode, error, ...rest }: EndedExecution): object {
  const out = textOf(stdout, truncated?.stdout === true);
  const err = textOf(stderr, truncated?.stderr === true);
  return {
    execution_id: id,
    status,
    exit_code: exitCode,
    stdout: out.text,
    stderr: err.text,
    truncated: { stdout: out.isCut, stderr: err.isCut },
    ...(error === null ? {} : { error: { name: error.name, message: error.message, line: error.line } }),
    duration_ms: Math.ceil(rest.durationMs ?? 0),
    cost: formatUsd(BigInt(rest.costNano ?? 0)),
  };
}

function textOf(bytes: Buffer | null, wasCut: boolean): { text: string; isCut: boolean } {
  const { text, isCut } = cutText(storable((bytes ?? Buffer.alloc(0)).toString()), MAX_OUTPUT_BYTES);
  return { text, isCut: isCut || wasCut };
}
