import type { Language } from '@service/client';
import { useState } from 'react';
import { EXAMPLES } from './examples';
import { LANGUAGES } from './link';

/** What is typed on the screen. Each language has a program of its own, so that a choice loses none. */
export interface Draft {
  readonly language: Language;
  readonly codes: Readonly<Record<Language, string>>;
  readonly stdin: string;
  /** In milliseconds and MiB; empty for the default. */
  readonly timeout: string;
  readonly memory: string;
  /** The name of a set of packages; empty for none. */
  readonly packages: string;
  readonly showsResults: boolean;
  readonly keepsFiles: boolean;
}

/** The service does not keep the programs that ran. This browser does, so that a run can be opened again. */
interface RanProgram {
  readonly id: string;
  readonly language: Language;
  readonly code: string;
  readonly stdin: string;
}

const MOST_PROGRAMS = 20;
/** Of 5 million characters that a browser keeps for the whole app. */
const MOST_CHARACTERS = 400_000;

const draftKey = (org: string): string => `sandbox draft ${org}`;
const programsKey = (org: string): string => `sandbox programs ${org}`;

/** The draft of an organization, kept in this browser at each change. */
export function useDraft(org: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => draftOf(read(draftKey(org))));
  return [
    draft,
    (change) => {
      setDraft((old) => {
        const next = { ...old, ...change };
        write(draftKey(org), next);
        return next;
      });
    },
  ];
}

export function programOf(org: string, id: string): RanProgram | undefined {
  return programsOf(org).find((program) => program.id === id);
}

/** Keeps the program of a run, and forgets the oldest ones. */
export function keepProgram(org: string, program: RanProgram): void {
  let characters = 0;
  write(
    programsKey(org),
    [program, ...programsOf(org)].slice(0, MOST_PROGRAMS).filter(({ code, stdin }) => {
      characters += code.length + stdin.length;
      return characters <= MOST_CHARACTERS;
    }),
  );
}

function programsOf(org: string): readonly RanProgram[] {
  const found = read(programsKey(org));
  return Array.isArray(found) ? (found as readonly RanProgram[]) : [];
}

/** An older version of the app may have written it. */
function draftOf(found: unknown): Draft {
  const known = (found ?? {}) as { readonly [Name in keyof Draft]?: unknown };
  const codes = (known.codes ?? {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    language: LANGUAGES.find((each) => each === known.language) ?? 'typescript',
    codes: Object.fromEntries(
      LANGUAGES.map((each) => [each, typeof codes[each] === 'string' ? codes[each] : EXAMPLES[each]]),
    ) as Record<Language, string>,
    stdin: text(known.stdin),
    timeout: text(known.timeout),
    memory: text(known.memory),
    packages: text(known.packages),
    showsResults: known.showsResults !== false,
    keepsFiles: known.keepsFiles === true,
  };
}

/** What this browser has kept; undefined for nothing. */
export function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return undefined;
  }
}

/** Where storage is full or blocked, the text lasts as long as the page. */
export function write(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Said above.
  }
}
