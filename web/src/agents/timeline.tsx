import type { AgentRunStep } from '@service/client';
import type { ReactNode } from 'react';
import { AnswerText } from '../ai/answer';
import { tokensOf } from '../ai/amounts';
import { money } from '../chart/units';
import { ScreenLink } from '../ui/screen-link';
import { Duration } from '../ui/time';
import { Call } from './call';

interface TimelineProps {
  readonly org: string;
  readonly steps: readonly AgentRunStep[];
  /** What the model is writing now. */
  readonly writing: string;
  readonly isOver: boolean;
  readonly isRunning: boolean;
}

/** The steps of a run, the earliest first. */
export function Timeline({ org, steps, writing, isOver, isRunning }: TimelineProps): ReactNode {
  if (steps.length === 0 && writing === '' && !isRunning)
    return <p className="text-muted">{isOver ? 'It ended before its first step.' : 'Its first step has not begun.'}</p>;
  return (
    <ol aria-label="Steps" className="border-line ml-2 grid gap-6 border-l pl-5">
      {steps.map((step) => (
        <li key={step.seq} className="relative min-w-0">
          <Dot />
          <Step org={org} step={step} />
        </li>
      ))}
      {(writing !== '' || isRunning) && (
        <li className="relative min-w-0">
          <Dot moving />
          <p className="text-muted mb-1 text-sm">{writing === '' ? 'Working…' : 'The model is writing'}</p>
          <div className="break-words whitespace-pre-wrap">{writing}</div>
        </li>
      )}
    </ol>
  );
}

function Dot({ moving = false }: { readonly moving?: boolean }): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={`bg-accent absolute top-1.5 -left-[25.5px] size-2.5 rounded-full ${moving ? 'pulse' : ''}`}
    />
  );
}

function Step({ org, step }: { readonly org: string; readonly step: AgentRunStep }): ReactNode {
  return (
    <>
      <p className="text-muted mb-1 flex flex-wrap items-center gap-x-3 text-sm">
        <span className="text-ink font-medium">
          {step.kind === 'summary' ? 'Summary of earlier steps' : `Step ${step.seq}`}
        </span>
        {step.model != null && <code className="font-mono text-xs">{step.model}</code>}
        {step.usage != null && (
          <span>
            {tokensOf(step.usage.input_tokens)} in, {tokensOf(step.usage.output_tokens)} out
          </span>
        )}
        {step.cost != null && <span>{money(Number(step.cost))}</span>}
        {step.ended_at != null && <Duration from={step.created_at} to={step.ended_at} />}
        {step.generation_id != null && (
          <ScreenLink to="aiGeneration" params={{ org, generation: step.generation_id }} className="link">
            Generation
          </ScreenLink>
        )}
      </p>
      {step.text != null && step.text !== '' && <Text step={step} />}
      {step.tool_calls.length > 0 && (
        <div className="mt-2 grid gap-2">
          {step.tool_calls.map((call) => (
            <Call key={call.id} call={call} />
          ))}
        </div>
      )}
    </>
  );
}

/** Summaries are for the model: a person has the steps themselves. */
function Text({ step }: { readonly step: AgentRunStep }): ReactNode {
  if (step.kind === 'answer')
    return (
      <div className="grid gap-3">
        <AnswerText text={step.text!} />
      </div>
    );
  return (
    <details>
      <summary className="text-muted text-sm">Show the summary</summary>
      <p className="mt-1 break-words whitespace-pre-wrap">{step.text}</p>
    </details>
  );
}
