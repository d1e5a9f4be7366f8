import type { ChatCompletionRequest, ChatMessage, ModelUsage } from '@service/client';
import { useEffect, useRef, useState } from 'react';
import { api, queries } from '../api';
import { costOfStopped, generationsKey } from '../data/ai';
import { type Draft, type Turn, useKept } from './draft';

/** Pieces that arrive together are shown together. */
const GATHER_MS = 50;

interface Conversation {
  readonly draft: Draft;
  readonly turns: readonly Turn[];
  /** Why the last answer failed, in this page. */
  readonly error: unknown;
  readonly isRunning: boolean;
  readonly change: (draft: Partial<Draft>) => void;
  /** Sends what is typed. */
  readonly send: () => void;
  /** Sends a message that failed once more. */
  readonly retry: (turn: Turn) => void;
  /** Takes a message back, to type it otherwise. */
  readonly edit: (turn: Turn) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** Talks to a model. A message stays where it was sent whatever happens, so that nothing is lost. */
export function useConversation(org: string): Conversation {
  const [{ draft, turns }, keep] = useKept(org);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const last = turns.at(-1);
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );

  const changeTurn = (id: number, change: Partial<Turn>): void => {
    keep((old) => ({ ...old, turns: old.turns.map((turn) => (turn.id === id ? { ...turn, ...change } : turn)) }));
  };
  const ask = async (turn: Turn, before: readonly Turn[]): Promise<void> => {
    const stop = new AbortController();
    running.current = stop;
    setError(undefined);
    const startMs = performance.now();
    let answer = '';
    let generation: string | undefined;
    let usage: ModelUsage | undefined;
    let gathering = 0;
    const show = (): void => {
      gathering = 0;
      changeTurn(turn.id, { answer });
    };
    const end = (state: Turn['state']): void => {
      clearTimeout(gathering);
      changeTurn(turn.id, { answer, state, durationMs: performance.now() - startMs, ...costIn(usage) });
    };
    try {
      const stream = await api.ai.chat.completions.create(
        { ...requestOf(draft, [...before, turn]), stream: true, stream_options: { include_usage: true } },
        { organization: org, signal: stop.signal },
      );
      generation = stream.generationId;
      changeTurn(turn.id, { generation });
      for await (const chunk of stream) {
        answer += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
        gathering ||= window.setTimeout(show, GATHER_MS);
      }
      end('done');
    } catch (thrown) {
      end(stop.signal.aborted ? 'stopped' : 'failed');
      if (!stop.signal.aborted) setError(thrown);
    } finally {
      if (running.current === stop) running.current = undefined;
      void queries.invalidateQueries({ queryKey: generationsKey(org) });
    }
    if (usage !== undefined || generation === undefined) return;
    const cost = await costOfStopped(org, generation);
    if (cost !== undefined) changeTurn(turn.id, { cost });
  };
  const begin = (prompt: string, before: readonly Turn[], text: string): void => {
    const turn: Turn = { id: Date.now(), model: draft.model, prompt, answer: '', state: 'running' };
    keep((old) => ({ draft: { ...old.draft, text }, turns: [...before, turn] }));
    void ask(turn, before);
  };
  return {
    draft,
    turns,
    error: last?.state === 'failed' ? error : undefined,
    isRunning: last?.state === 'running',
    change: (change) => {
      keep((old) => ({ ...old, draft: { ...old.draft, ...change } }));
    },
    send: () => {
      begin(draft.text.trim(), turns, '');
    },
    retry: ({ id, prompt }) => {
      begin(
        prompt,
        turns.filter((turn) => turn.id !== id),
        draft.text,
      );
    },
    edit: ({ id, prompt }) => {
      keep((old) => ({
        draft: { ...old.draft, text: [prompt, old.draft.text].filter((text) => text !== '').join('\n\n') },
        turns: old.turns.filter((turn) => turn.id !== id),
      }));
    },
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      keep((old) => ({ ...old, turns: [] }));
    },
  };
}

/** The request for what is chosen and what was said. A message without an answer is left out, but for the last one. */
export function requestOf(draft: Draft, turns: readonly Turn[]): ChatCompletionRequest {
  const { model, system, temperature, maxTokens } = draft;
  const said = turns.flatMap(({ prompt, answer, state }, index): ChatMessage[] =>
    index === turns.length - 1
      ? [{ role: 'user', content: prompt }]
      : state === 'failed' || answer === ''
        ? []
        : [
            { role: 'user', content: prompt },
            { role: 'assistant', content: answer },
          ],
  );
  return {
    model,
    messages: [...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]), ...said],
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
  };
}

function costIn(usage: ModelUsage | undefined): Partial<Turn> {
  if (usage === undefined) return {};
  const { prompt_tokens: tokensIn, completion_tokens: tokensOut = 0, cost } = usage;
  return { tokensIn, tokensOut, ...(cost === undefined ? {} : { cost }) };
}
