import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import type { EndedExecution } from '../../sandbox/org-executions.service.js';
import { cutText, storable } from './bounded-text.js';
import { failed, succeeded } from './single-tool.js';

const MAX_OUTPUT_BYTES = 65_536;
/** The longest code or command, in bytes of UTF-8. */
export const MAX_CODE_BYTES = 131_072;

/** Returns what a tool that runs code answers, with fields of its own. */
export function answerOf(ended: EndedExecution, own: object = {}): ToolOutcome {
  if (ended.status === 'lost')
    return failed('execution_lost', 'The platform lost the run, so it is unknown how far the code ran. It was free.');
  if (ended.status === 'cancelled') return failed('execution_cancelled', 'A person cancelled the run of the code.');
  return succeeded({ ...fieldsOf(ended), ...own });
}

function fieldsOf({ id, status, stdout, stderr, truncated, exitCode, error, ...rest }: EndedExecution): object {
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
