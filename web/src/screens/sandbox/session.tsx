import type { SandboxSession } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { isLive, sessionQuery } from '../../data/sandbox-sessions';
import { pathTo } from '../../paths';
import { NotebookCell } from '../../sandbox/cell';
import { Check } from '../../sandbox/check';
import { EndSession } from '../../sandbox/end-session';
import { LANGUAGE_NAMES } from '../../sandbox/language-names';
import { type Cell, newCell, useNotebook } from '../../sandbox/notebooks';
import { SessionState } from '../../sandbox/session-state';
import { AddButton } from '../../ui/add-button';
import { bytesInWords } from '../../ui/amounts';
import { Button } from '../../ui/button';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';
import { Ago } from '../../ui/time';

const SessionFiles = lazy(async () => ({
  default: (await import('../../sandbox/session-files')).SessionFiles,
}));

interface Params {
  readonly org: string;
  readonly session: string;
}

/** Why a session has ended, by the reason of the service. */
const ENDS: Readonly<Record<string, string>> = {
  requested: 'It was ended.',
  idle: 'It was not used for long.',
  expired: 'Its time was over.',
  out_of_memory: 'It had no memory left.',
  failed: 'It failed.',
  not_started: 'It could not be started.',
  worker_stopped: 'The service was stopped, for example to upgrade it.',
  worker_lost: 'The service lost it.',
};

export function prepare({ org, session }: Params): void {
  queries.query(sessionQuery(org, session)).catch(ignore);
}

export function Screen({ org, session: id }: Params): ReactNode {
  const session = useQuery(sessionQuery(org, id));
  return <Loaded query={session}>{(found) => <Notebook org={org} session={found} />}</Loaded>;
}

interface NotebookProps {
  readonly org: string;
  readonly session: SandboxSession;
}

function Notebook({ org, session }: NotebookProps): ReactNode {
  const { id, name, language, status } = session;
  const mayRun = useMay(org, 'sandbox:execute');
  const [ending, setEnding] = useState<SandboxSession>();
  const isOver = !isLive(session);
  return (
    <Page
      title={name ?? `${LANGUAGE_NAMES[language]} session`}
      above={[
        ['Sandbox', pathTo('sandbox', { org })],
        ['Sessions', pathTo('sandboxSessions', { org })],
      ]}
      state={<SessionState status={status} />}
      {...(!isOver &&
        mayRun && {
          actions: (
            <Button
              look="danger"
              onClick={() => {
                setEnding(session);
              }}
            >
              End the session
            </Button>
          ),
        })}
    >
      <About session={session} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_280px]">
        <Cells key={id} org={org} session={id} isOver={isOver || !mayRun} />
        {!isOver && mayRun && (
          <Suspense fallback={<Skeleton lines={2} />}>
            <SessionFiles org={org} session={id} />
          </Suspense>
        )}
      </div>
      <EndSession
        org={org}
        session={ending}
        onClose={() => {
          setEnding(undefined);
        }}
      />
    </Page>
  );
}

function About({ session }: { readonly session: SandboxSession }): ReactNode {
  const { language, limits, end_reason: reason, idle_timeout_seconds: idle, expires_at: expires } = session;
  return (
    <p className="text-muted -mt-3 mb-6">
      {LANGUAGE_NAMES[language]}, {bytesInWords(limits.memory_bytes)}.{' '}
      {isLive(session) ? (
        <>
          It ends when it was not used for {Math.round(idle / 60)} minutes, and at the latest <Ago at={expires} />.
          Between runs it is frozen, which costs nothing.
        </>
      ) : (
        <>It has ended, and its variables and files are gone. {ENDS[reason ?? '']}</>
      )}
    </p>
  );
}

interface CellsProps {
  readonly org: string;
  readonly session: string;
  readonly isOver: boolean;
}

function Cells({ org, session, isOver }: CellsProps): ReactNode {
  const [{ cells, keepsFiles = false }, change] = useNotebook(org, session);
  const fields = useRef(new Map<number, HTMLTextAreaElement>());
  const [wanted, setWanted] = useState<number>();
  useEffect(() => {
    // A cell that was added is there after the next render.
    if (wanted !== undefined) fields.current.get(wanted)?.focus();
  }, [wanted]);
  const add = (): void => {
    const cell = newCell(cells);
    change((old) => ({ cells: [...old.cells, cell] }));
    setWanted(cell.id);
  };
  const goOn = (index: number): void => {
    const next = cells[index + 1];
    if (next === undefined) add();
    else fields.current.get(next.id)?.focus();
  };
  const changeCell = (id: number, part: Partial<Cell>): void => {
    change((old) => ({ cells: old.cells.map((cell) => (cell.id === id ? { ...cell, ...part } : cell)) }));
  };
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      {cells.map((cell, index) => (
        <NotebookCell
          key={cell.id}
          org={org}
          session={session}
          cell={cell}
          number={index + 1}
          keepsFiles={keepsFiles}
          isOver={isOver}
          field={(field) => {
            if (field === null) fields.current.delete(cell.id);
            else fields.current.set(cell.id, field);
          }}
          onChange={(part) => {
            changeCell(cell.id, part);
          }}
          onRemove={() => {
            change((old) => {
              const rest = old.cells.filter(({ id }) => id !== cell.id);
              return { cells: rest.length === 0 ? [newCell(old.cells)] : rest };
            });
          }}
          onNext={() => {
            goOn(index);
          }}
        />
      ))}
      {!isOver && (
        <div className="flex flex-wrap items-center gap-3">
          <AddButton onClick={add}>Add a cell</AddButton>
          <Check
            label="Keep files"
            isChecked={keepsFiles}
            onChange={(isChecked) => {
              change(() => ({ keepsFiles: isChecked }));
            }}
          />
          <p className="text-muted text-sm">
            <kbd className="kbd">Shift</kbd> <kbd className="kbd">Enter</kbd> runs a cell and goes on. A cell that
            begins with <code className="font-mono">!</code> is a command of the shell. Leaving this screen stops what
            runs.
            {keepsFiles && (
              <>
                {' '}
                Files that a cell leaves in <code className="font-mono">/artifacts</code> are kept for a day.
              </>
            )}
          </p>
        </div>
      )}
    </div>
  );
}
