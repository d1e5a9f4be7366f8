import { useState } from 'react';
import { read, write } from './drafts';

/** A piece of code of a notebook. The service keeps what it printed, with its run. */
export interface Cell {
  readonly id: number;
  readonly code: string;
  /** Its last run. */
  readonly run?: string;
}

interface Notebook {
  readonly session: string;
  readonly cells: readonly Cell[];
  /** Its runs keep the files that they leave in /artifacts. */
  readonly keepsFiles?: boolean;
}

type Change = Partial<Pick<Notebook, 'cells' | 'keepsFiles'>>;

const MOST_NOTEBOOKS = 10;
/** Of 5 million characters that a browser keeps for the whole app. */
const MOST_CHARACTERS = 400_000;

const keyOf = (org: string): string => `sandbox notebooks ${org}`;

/** The notebook of a session. The service does not keep code, so this browser does, at each change. */
export function useNotebook(
  org: string,
  session: string,
): readonly [Notebook, (change: (old: Notebook) => Change) => void] {
  const [notebook, setNotebook] = useState(() => notebookOf(org, session));
  return [
    notebook,
    (change) => {
      setNotebook((old) => {
        const next = { ...old, ...change(old) };
        keep(org, next);
        return next;
      });
    },
  ];
}

export const newCell = (cells: readonly Cell[]): Cell => ({
  id: Math.max(0, ...cells.map(({ id }) => id)) + 1,
  code: '',
});

function notebookOf(org: string, session: string): Notebook {
  const notebook = notebooksOf(org).find((each) => each.session === session) ?? { session, cells: [] };
  return notebook.cells.length === 0 ? { ...notebook, cells: [newCell([])] } : notebook;
}

/** Keeps the cells, and forgets those of the oldest sessions. */
function keep(org: string, notebook: Notebook): void {
  let characters = 0;
  const others = notebooksOf(org).filter(({ session }) => session !== notebook.session);
  write(
    keyOf(org),
    [notebook, ...others].slice(0, MOST_NOTEBOOKS).filter(({ cells }) => {
      characters += cells.reduce((sum, { code }) => sum + code.length, 0);
      return characters <= MOST_CHARACTERS;
    }),
  );
}

function notebooksOf(org: string): readonly Notebook[] {
  const found = read(keyOf(org));
  return Array.isArray(found) ? (found as readonly Notebook[]) : [];
}
