import { useState } from 'react';

/** What is typed on the playground. Empty fields are left to the model. */
export interface Draft {
  readonly model: string;
  readonly system: string;
  readonly temperature: string;
  readonly maxTokens: string;
  /** The next message. */
  readonly text: string;
}

/** A message of the person, and what the model answered to it. */
export interface Turn {
  readonly id: number;
  readonly model: string;
  readonly prompt: string;
  readonly answer: string;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly generation?: string;
  /** In US dollars. */
  readonly cost?: number;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly durationMs?: number;
}

interface Kept {
  readonly draft: Draft;
  readonly turns: readonly Turn[];
}

const FIRST: Kept = { draft: { model: '', system: '', temperature: '', maxTokens: '1024', text: '' }, turns: [] };

const keyOf = (org: string): string => `playground ${org}`;

/**
 * The conversation of a tab of the browser. It outlives a reload and goes with the tab: the service keeps no text of
 * models, and neither does this browser for long.
 */
export function useKept(org: string): readonly [Kept, (change: (old: Kept) => Kept) => void] {
  const [kept, setKept] = useState(() => read(org));
  return [
    kept,
    (change) => {
      setKept((old) => {
        const next = change(old);
        write(org, next);
        return next;
      });
    },
  ];
}

/** An answer that ran when the page was left has stopped. */
function read(org: string): Kept {
  try {
    const { draft, turns } = JSON.parse(sessionStorage.getItem(keyOf(org)) ?? '{}') as Partial<Kept>;
    return {
      draft: { ...FIRST.draft, ...draft },
      turns: (turns ?? []).map((turn) => (turn.state === 'running' ? { ...turn, state: 'stopped' } : turn)),
    };
  } catch {
    return FIRST;
  }
}

/** Where storage is full or blocked, the text lasts as long as the page. */
function write(org: string, kept: Kept): void {
  try {
    sessionStorage.setItem(keyOf(org), JSON.stringify(kept));
  } catch {
    // Said above.
  }
}
