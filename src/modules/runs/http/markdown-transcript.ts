import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { ShownToolCall, Transcript } from '../requests/run-steps.js';

/** Returns the transcript of a run as text for people. */
export function markdownOf({ shown: { run, costNano }, steps }: Transcript): string {
  const head = [
    `# Run ${run.id}`,
    `Agent ${run.agentId}, version ${run.agentVersion}. State: ${run.state}. Cost: $${formatUsd(costNano)}.`,
    '## Input',
    fenced(run.input),
  ];
  const body = steps.flatMap(({ step, calls }) => [
    `## Step ${step.seq}${step.kind === 'summary' ? ' (summary)' : ''}`,
    `${step.model ?? ''}${step.costNano === null ? '' : `, $${formatUsd(step.costNano)}`}`,
    step.text ?? '',
    ...calls.flatMap(callLines),
  ]);
  const end =
    run.failure === null
      ? run.output === null
        ? []
        : ['## Output', fenced(run.output)]
      : ['## Error', `${run.failure.code}: ${run.failure.message}`];
  return `${[...head, ...body, ...end].filter((part) => part !== '').join('\n\n')}\n`;
}

const callLines = ({ tool, state, arguments: input, output, error }: ShownToolCall): string[] => [
  `### ${tool} (${state})`,
  fenced(input),
  ...(output === null ? [] : [fenced(output)]),
  ...(error === null ? [] : [`${error.code}: ${error.message}`]),
];

/** A fence that is longer than any in the text, so that the text cannot end it. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
