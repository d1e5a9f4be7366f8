import type { AgentToolCall } from '@service/client';
import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/code-block';
import { State } from '../ui/state';
import { Duration } from '../ui/time';
import { inText } from './json-text';

type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'accent';

const LOOKS: Readonly<Record<AgentToolCall['state'], readonly [Tone, string]>> = {
  proposed: ['quiet', 'Proposed'],
  awaiting_approval: ['accent', 'Needs approval'],
  authorised: ['quiet', 'Authorised'],
  executing: ['warn', 'Executing'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  denied: ['quiet', 'Denied'],
  expired: ['quiet', 'Expired'],
  outcome_unknown: ['warn', 'Outcome unknown'],
};

const EFFECTS: Readonly<Record<AgentToolCall['effect'], string>> = {
  local: 'Its effect is stored together with its result.',
  read: 'It only reads.',
  keyed: 'Its target does the same thing once, however often it is asked.',
  once: 'It is never repeated by itself.',
};

/** Arguments this short stand in the line of the call. */
const SHORT = 80;

/** A call of a tool: its arguments as they are, and its output when it is opened. */
export function Call({ call }: { readonly call: AgentToolCall }): ReactNode {
  const [tone, word] = LOOKS[call.state];
  const text = JSON.stringify(call.arguments);
  return (
    <div className="border-line bg-canvas min-w-0 rounded-md border">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <code className="font-mono text-sm font-medium" title={EFFECTS[call.effect]}>
          {call.tool}
        </code>
        <State tone={tone} moving={call.state === 'executing'}>
          {word}
        </State>
        {call.started_at != null && (
          <span className="text-muted text-sm">
            <Duration from={call.started_at} to={call.ended_at ?? undefined} />
          </span>
        )}
        {text.length <= SHORT && (
          <code className="text-muted min-w-0 basis-full truncate font-mono text-xs sm:basis-auto">{text}</code>
        )}
      </div>
      {call.error != null && (
        <p className="text-bad px-3 pb-2 text-sm break-words">
          <code className="font-mono">{call.error.code}</code> {call.error.message}
        </p>
      )}
      {text.length > SHORT && <Folded title="Arguments" text={JSON.stringify(call.arguments, null, 2)} />}
      {call.output != null && <Folded title="Output" text={inText(call.output)} />}
    </div>
  );
}

function Folded({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <details className="border-line border-t px-3 py-1.5">
      <summary className="text-muted text-sm">
        {title}
        <span className="text-xs"> · {text.length.toLocaleString('en')} characters</span>
      </summary>
      <div className="mt-2 mb-1 max-h-96 overflow-y-auto">
        <CodeBlock text={text} label={title} wrap />
      </div>
    </details>
  );
}
