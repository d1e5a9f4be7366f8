import type { Model } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { isForChat, priceOf, sizeOf, tokensOf } from '../../ai/amounts';
import { AnswerText } from '../../ai/answer';
import { requestOf, useConversation } from '../../ai/conversation';
import type { Draft, Turn } from '../../ai/draft';
import { NoModels } from '../../ai/no-models';
import { NotForCalls } from '../../ai/not-for-calls';
import { type Sample, sampleOf, SAMPLES } from '../../ai/samples';
import { money } from '../../chart/units';
import { modelsQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Dialog } from '../../ui/dialog';
import { ErrorNote } from '../../ui/error-note';
import { Field } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { ScreenLink } from '../../ui/screen-link';
import { durationOf } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare(): void {
  queries.query(modelsQuery).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const models = useQuery(modelsQuery);
  const may = useMay(org, 'ai:invoke');
  return (
    <AiFrame org={org} open="aiPlayground">
      <Loaded query={models}>
        {(data) => {
          const forChat = data.filter(isForChat);
          if (!may) return <NotForCalls />;
          return forChat.length === 0 ? <NoModels /> : <Playground org={org} models={forChat} />;
        }}
      </Loaded>
    </AiFrame>
  );
}

interface PlaygroundProps {
  readonly org: string;
  readonly models: readonly Model[];
}

function Playground({ org, models }: PlaygroundProps): ReactNode {
  const conversation = useConversation(org);
  const [search, setSearch] = useSearchParams();
  const [isSampleOpen, setIsSampleOpen] = useState(false);
  const { draft, turns, isRunning, change } = conversation;
  const inAddress = search.get('model');
  const model = models.find(({ id }) => id === (inAddress ?? draft.model)) ?? models[0]!;
  // The address sets the model at first. Afterwards the choice is kept with what is typed.
  useEffect(() => {
    if (draft.model !== model.id) change({ model: model.id });
    if (inAddress !== null) setSearch({}, { replace: true });
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_240px]">
      <div className="card flex min-w-0 flex-col lg:h-[calc(100dvh-13rem)] lg:min-h-112">
        <div className="border-line flex flex-wrap items-center gap-x-3 gap-y-2 border-b p-3">
          <ModelChoice model={model} models={models} onChange={change} />
          <div className="ml-auto flex gap-2">
            <Button
              onClick={() => {
                setIsSampleOpen(true);
              }}
            >
              <Icon name="sandbox" size={14} />
              Code
            </Button>
            <Button look="quiet" disabled={turns.length === 0} onClick={conversation.clear}>
              Clear
            </Button>
          </div>
        </div>
        <Turns org={org} {...conversation} />
        <Composer
          draft={draft}
          isRunning={isRunning}
          onChange={change}
          onSend={conversation.send}
          onStop={conversation.stop}
        />
      </div>
      <Settings draft={draft} model={model} turns={turns} onChange={change} />
      <SampleDialog
        org={org}
        draft={draft}
        turns={turns}
        open={isSampleOpen}
        onClose={() => {
          setIsSampleOpen(false);
        }}
      />
    </div>
  );
}

interface ModelChoiceProps {
  readonly model: Model;
  readonly models: readonly Model[];
  readonly onChange: (change: Partial<Draft>) => void;
}

function ModelChoice({ model, models, onChange }: ModelChoiceProps): ReactNode {
  const { pricing, context_length: context } = model;
  return (
    <>
      <select
        name="model"
        aria-label="Model"
        className="input w-auto max-w-56"
        value={model.id}
        onChange={({ target }) => {
          onChange({ model: target.value });
        }}
      >
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <span className="text-muted hidden text-sm sm:inline" title="Price of 1,000,000 tokens">
        {priceOf(pricing.input)} in, {priceOf(pricing.output ?? '0')} out
        {context !== null && `, ${sizeOf(context)} context`}
      </span>
    </>
  );
}

interface SettingsProps {
  readonly draft: Draft;
  readonly model: Model;
  readonly turns: readonly Turn[];
  readonly onChange: (change: Partial<Draft>) => void;
}

function Settings({ draft, model, turns, onChange }: SettingsProps): ReactNode {
  return (
    <div role="group" aria-label="Settings" className="grid min-w-0 gap-4">
      <label className="grid gap-1">
        <span className="font-medium">System prompt</span>
        <textarea
          name="system"
          rows={4}
          className="input"
          placeholder="You are a helpful assistant."
          value={draft.system}
          onChange={({ target }) => {
            onChange({ system: target.value });
          }}
        />
      </label>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Temperature"
          name="temperature"
          type="number"
          min={0}
          max={2}
          step={0.1}
          placeholder="Default"
          value={draft.temperature}
          onChange={({ target }) => {
            onChange({ temperature: target.value });
          }}
        />
        <Field
          label="Max tokens"
          name="max_tokens"
          type="number"
          min={1}
          max={model.max_output_tokens ?? undefined}
          step={1}
          placeholder="Default"
          value={draft.maxTokens}
          onChange={({ target }) => {
            onChange({ maxTokens: target.value });
          }}
        />
      </div>
      <p className="text-muted text-sm">The price of the longest answer is held until it ends.</p>
      <Total turns={turns} />
    </div>
  );
}

interface TurnsProps extends Params {
  readonly turns: readonly Turn[];
  readonly error: unknown;
  readonly retry: (turn: Turn) => void;
  readonly edit: (turn: Turn) => void;
}

/** It follows the end until the reader scrolls up. */
function Turns({ org, turns, error, retry, edit }: TurnsProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (follows.current) box.current!.scrollTop = box.current!.scrollHeight;
  }, [turns, error]);
  return (
    <div
      ref={box}
      role="log"
      aria-label="Conversation"
      aria-live="off"
      tabIndex={0}
      className="min-h-64 flex-1 overflow-y-auto p-4 max-lg:max-h-[70dvh] sm:p-6"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < 48;
      }}
    >
      {turns.length === 0 ? (
        <div className="text-muted grid h-full min-h-56 place-content-center justify-items-center gap-2 text-center">
          <Icon name="ai" size={22} />
          <p className="text-ink font-medium">Ask a model</p>
          <p className="max-w-xs">
            The conversation stays in this tab. The service keeps no text, only tokens and their cost.
          </p>
        </div>
      ) : (
        <ol className="grid gap-6">
          {turns.map((turn, index) => (
            <li key={turn.id} className="grid gap-3">
              <p className="bg-accent-soft ml-auto max-w-[85%] rounded-lg px-3.5 py-2 break-words whitespace-pre-wrap">
                <span className="sr-only">You: </span>
                {turn.prompt}
              </p>
              <Answer
                org={org}
                turn={turn}
                error={index === turns.length - 1 ? error : undefined}
                onRetry={retry}
                onEdit={edit}
              />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

interface AnswerProps extends Params {
  readonly turn: Turn;
  readonly error: unknown;
  readonly onRetry: (turn: Turn) => void;
  readonly onEdit: (turn: Turn) => void;
}

function Answer({ org, turn, error, onRetry, onEdit }: AnswerProps): ReactNode {
  const { answer, state, model } = turn;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <span className="sr-only">{model}: </span>
      <AnswerText text={answer} />
      {state === 'running' && answer === '' && <p className="text-muted pulse">Waiting for {model}</p>}
      {state === 'stopped' && answer === '' && <p className="text-muted">Stopped before it began.</p>}
      {state === 'failed' && (
        <>
          {error === undefined ? (
            <p className="text-bad">{answer === '' ? 'It was not answered.' : 'The answer broke off.'}</p>
          ) : (
            <ErrorNote error={error} />
          )}
          <div className="flex flex-wrap gap-2">
            <Button
              onClick={() => {
                onRetry(turn);
              }}
            >
              <Icon name="undo" size={14} />
              Send it again
            </Button>
            <Button
              look="quiet"
              onClick={() => {
                onEdit(turn);
              }}
            >
              Edit the message
            </Button>
          </div>
        </>
      )}
      {state !== 'running' && <Facts org={org} turn={turn} />}
      <span role="status" className="sr-only">
        {state === 'running' ? '' : state === 'done' ? 'The answer is complete' : 'The answer has ended'}
      </span>
    </div>
  );
}

function Facts({ org, turn }: { readonly org: string; readonly turn: Turn }): ReactNode {
  const { state, model, generation, cost, tokensIn, tokensOut, durationMs } = turn;
  if (generation === undefined) return null;
  const facts = [
    ...(state === 'stopped' ? ['Stopped'] : []),
    model,
    ...(tokensIn === undefined || tokensOut === undefined
      ? []
      : [`${tokensOf(tokensIn)} tokens in, ${tokensOf(tokensOut)} out`]),
    ...(durationMs === undefined ? [] : [durationOf(durationMs)]),
  ];
  return (
    <p className="text-muted flex flex-wrap items-center gap-x-2 text-xs tabular-nums">
      <span>{facts.join(' · ')}</span>
      <ScreenLink to="aiGeneration" params={{ org, generation }} className="link inline-flex min-h-6 items-center">
        {cost === undefined ? 'Details' : money(cost)}
      </ScreenLink>
    </p>
  );
}

interface ComposerProps {
  readonly draft: Draft;
  readonly isRunning: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

/** Enter sends, and with Shift it begins a line. The next message can be typed while an answer runs. */
function Composer({ draft, isRunning, onChange, onSend, onStop }: ComposerProps): ReactNode {
  const isEmpty = draft.text.trim() === '';
  const send = (): void => {
    if (!isRunning && !isEmpty) onSend();
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div
      role="group"
      aria-label="Message"
      className="border-line focus-within:border-accent-ink grid gap-2 border-t p-3 transition-[border-color]"
    >
      <textarea
        name="text"
        aria-label="Your message"
        rows={3}
        autoFocus
        className="placeholder:text-muted resize-none bg-transparent px-1 outline-none"
        placeholder="Ask something"
        value={draft.text}
        onKeyDown={onKey}
        onChange={({ target }) => {
          onChange({ text: target.value });
        }}
      />
      <div className="flex items-center justify-between gap-3">
        <span className="text-muted hidden text-sm sm:inline">
          <kbd className="kbd">Enter</kbd> sends, <kbd className="kbd">Shift</kbd> <kbd className="kbd">Enter</kbd>{' '}
          begins a line
        </span>
        {isRunning ? (
          <Button className="ml-auto" onClick={once(onStop)}>
            <Icon name="stop" size={14} />
            Stop
          </Button>
        ) : (
          <Button look="primary" className="ml-auto" disabled={isEmpty} onClick={once(send)}>
            Send
          </Button>
        )}
      </div>
    </div>
  );
}

/** One button takes the place of the other: the second click of two is not for it. */
const once =
  (act: () => void): ((event: MouseEvent) => void) =>
  ({ detail }) => {
    if (detail < 2) act();
  };

function Total({ turns }: { readonly turns: readonly Turn[] }): ReactNode {
  const costs = turns.flatMap(({ cost }) => cost ?? []);
  if (costs.length === 0) return null;
  return (
    <p className="text-muted text-sm">
      This conversation has cost{' '}
      <b className="text-ink font-medium tabular-nums">{money(costs.reduce((sum, cost) => sum + cost, 0))}</b>.
    </p>
  );
}

interface SampleDialogProps extends Params {
  readonly draft: Draft;
  readonly turns: readonly Turn[];
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The next message as a program, or else the last one. */
function SampleDialog({ org, draft, turns, open, onClose }: SampleDialogProps): ReactNode {
  const [sample, setSample] = useState<Sample>('curl');
  const prompt = draft.text.trim() || (turns.at(-1)?.prompt ?? 'Hello');
  const message: Turn = { id: 0, model: draft.model, prompt, answer: '', state: 'done' };
  return (
    <Dialog open={open} title="The same from your code" onClose={onClose} wide>
      <p className="text-muted mb-3">
        Any OpenAI client works with this address, and with an{' '}
        <ScreenLink to="keys" params={{ org }} className="link">
          API key
        </ScreenLink>{' '}
        in <code className="font-mono text-sm">SERVICE_API_KEY</code>.
      </p>
      <div role="group" aria-label="Language" className="mb-3 flex flex-wrap gap-1">
        {SAMPLES.map((each) => (
          <Button
            key={each}
            look={each === sample ? 'plain' : 'quiet'}
            aria-pressed={each === sample}
            onClick={() => {
              setSample(each);
            }}
          >
            {each}
          </Button>
        ))}
      </div>
      <CodeBlock
        text={sampleOf(sample, `${location.origin}/api/v1/ai`, requestOf(draft, [message]))}
        label={`${sample} code`}
      />
    </Dialog>
  );
}
