import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import type { EndedExecution } from '../../sandbox/org-executions.service.js';
import { storable } from './bounded-text.js';
import { cutToBytes, cutToJson } from '../../../platform/text/cut-text.js';
import { failed } from './single-tool.js';

/** A model is shown 65,536 characters of a result. Within these, nothing is cut that does not say so. */
const MAX_ANSWER_LENGTH = 65_000;
const MAX_ERROR_OUTPUT_LENGTH = 16_384;
/** All results together. */
const MAX_RESULTS_LENGTH = 24_576;
/** The names of files that were kept, and of those that were not. */
const MAX_NAMES_LENGTH = 12_288;
/** The types of results that a model can read. */
const TEXTS: readonly string[] = ['text/plain', 'application/json', 'text/html'];
const MAX_MESSAGE_BYTES = 4_096;
/** The longest code or command, in bytes of UTF-8. */
export const MAX_CODE_BYTES = 131_072;

/** What a tool says beside what every execution has. */
interface Own {
  readonly fields?: object;
  /** True when the output may be words of others, which marks the run. */
  readonly quotesOthers: boolean;
}

/** Returns what a tool that runs code answers. What does not fit into the context of a model is cut, and says so. */
export function answerOf(ended: EndedExecution, { fields = {}, quotesOthers }: Own): ToolOutcome {
  if (ended.status === 'lost')
    return failed('execution_lost', 'The platform lost the run, so it is unknown how far the code ran. It was free.');
  if (ended.status === 'cancelled') return failed('execution_cancelled', 'A person cancelled the run of the code.');
  return { kind: 'succeeded', output: { ...outputOf(ended, fields) }, ...(quotesOthers ? { taints: true } : {}) };
}

/** Standard output comes last, because it has what the rest leaves. */
function outputOf(ended: EndedExecution, fields: object): object {
  const { stdout, stderr, truncated, results, artifacts } = ended;
  const err = shownOf(stderr, MAX_ERROR_OUTPUT_LENGTH);
  const rest = {
    ...factsOf(ended),
    ...fields,
    ...(results === null ? {} : { results: resultsOf(results) }),
    ...(artifacts === null ? {} : artifactsOf(artifacts)),
    stderr: err.text,
    truncated: { stdout: true, stderr: err.isCut || truncated?.stderr === true },
  };
  const out = shownOf(stdout, MAX_ANSWER_LENGTH - JSON.stringify({ ...rest, stdout: '' }).length);
  return {
    ...rest,
    stdout: out.text,
    truncated: { ...rest.truncated, stdout: out.isCut || truncated?.stdout === true },
  };
}

const factsOf = ({ id, status, exitCode, error, durationMs, costNano }: EndedExecution): object => ({
  execution_id: id,
  status,
  exit_code: exitCode,
  ...(error === null
    ? {}
    : { error: { name: error.name, message: cutToBytes(error.message, MAX_MESSAGE_BYTES).text, line: error.line } }),
  duration_ms: Math.ceil(durationMs ?? 0),
  cost: formatUsd(BigInt(costNano ?? 0)),
});

const shownOf = (bytes: Buffer | null, mostLength: number): { readonly text: string; readonly isCut: boolean } =>
  cutToJson(storable((bytes ?? Buffer.alloc(0)).toString()), mostLength);

function artifactsOf({ kept, errors }: NonNullable<EndedExecution['artifacts']>): object {
  const named = kept.map(({ id, path, sizeBytes, type }) => ({ id, path, size_bytes: sizeBytes, type }));
  const shown = within(named);
  return {
    artifacts: shown,
    ...(shown.length === named.length ? {} : { artifacts_not_shown: named.length - shown.length }),
    ...(errors.length === 0 ? {} : { artifact_errors: within(errors) }),
  };
}

/** Images are only named: results of tools are text. */
function resultsOf(results: NonNullable<EndedExecution['results']>): readonly object[] {
  let left = MAX_RESULTS_LENGTH;
  const shown: object[] = [];
  for (const { type, data } of results) {
    if (left <= 0) {
      shown.push({ truncated: true, note: `${results.length - shown.length} more results are not shown.` });
      break;
    }
    const { text, isCut } = TEXTS.includes(type) ? cutToJson(storable(data), left) : { text: undefined, isCut: false };
    const result = { type, ...(text === undefined ? {} : { data: text }), ...(isCut ? { truncated: true } : {}) };
    left -= JSON.stringify(result).length + 1;
    shown.push(result);
  }
  return shown;
}

/** The first of them that are together not longer than this. */
function within<T>(items: readonly T[]): readonly T[] {
  let left = MAX_NAMES_LENGTH;
  const end = items.findIndex((item) => (left -= JSON.stringify(item).length + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}
