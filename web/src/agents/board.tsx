import type { SwarmTask } from '@service/client';
import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../ui/code-block';
import { Dialog } from '../ui/dialog';
import { ScreenLink } from '../ui/screen-link';
import { Ago } from '../ui/time';
import { inText } from './json-text';

const COLUMNS = [
  ['blocked', 'Blocked'],
  ['open', 'Open'],
  ['claimed', 'Claimed'],
  ['done', 'Done'],
  ['failed', 'Failed'],
] as const;

interface BoardProps {
  readonly org: string;
  readonly tasks: readonly SwarmTask[];
}

/** The tasks of a swarm in columns. On a phone the columns stand below each other. */
export function Board({ org, tasks }: BoardProps): ReactNode {
  const [opened, setOpened] = useState<string>();
  const task = tasks.find(({ id }) => id === opened);
  return (
    <>
      <div className="grid gap-3 md:grid-cols-5">
        {COLUMNS.map(([state, title]) => {
          const own = tasks.filter(
            (each) => each.state === state || (state === 'failed' && each.state === 'cancelled'),
          );
          return (
            <section key={state} aria-label={title} className="bg-sunken min-w-0 rounded-md p-2">
              <h3 className="text-muted flex items-baseline justify-between px-1 pb-2 text-sm font-medium">
                {title}
                <span className="tabular-nums">{own.length}</span>
              </h3>
              <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
                {own.map((each) => (
                  <li key={each.id}>
                    <Card
                      task={each}
                      onOpen={() => {
                        setOpened(each.id);
                      }}
                    />
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      <Dialog
        open={task !== undefined}
        title={task?.title ?? ''}
        wide
        onClose={() => {
          setOpened(undefined);
        }}
      >
        {task !== undefined && <Details org={org} task={task} tasks={tasks} />}
      </Dialog>
    </>
  );
}

function Card({ task, onOpen }: { readonly task: SwarmTask; readonly onOpen: () => void }): ReactNode {
  return (
    <button type="button" onClick={onOpen} className="card hover:border-line-strong block w-full p-2.5 text-left">
      <span className="line-clamp-3 text-sm font-medium break-words">{task.title}</span>
      <span className="text-muted mt-1 flex flex-wrap gap-x-2 text-xs">
        {task.state === 'cancelled' && <span>Cancelled</span>}
        {task.claimed_by != null && task.state === 'claimed' && (
          <span className="truncate">{task.claimed_by.name ?? 'A worker'}</span>
        )}
        {task.attempts > 1 && <span>{`Attempt ${task.attempts} of ${task.max_attempts}`}</span>}
        {task.state === 'blocked' && <span>{`Needs ${task.needs.length}`}</span>}
      </span>
    </button>
  );
}

function Details({ org, task, tasks }: BoardProps & { readonly task: SwarmTask }): ReactNode {
  const run = task.claimed_by?.run_id;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {task.description != null && <p className="break-words whitespace-pre-wrap">{task.description}</p>}
      <p className="text-muted flex flex-wrap gap-x-3 text-sm">
        <span>
          Attempt {task.attempts} of {task.max_attempts}
        </span>
        {task.lease_expires_at != null && task.state === 'claimed' && (
          <span>
            lease until <Ago at={task.lease_expires_at} />
          </span>
        )}
        {run != null && (
          <ScreenLink to="run" params={{ org, run }} className="link">
            Run of the worker
          </ScreenLink>
        )}
      </p>
      {task.needs.length > 0 && (
        <p>Needs: {task.needs.map((need) => tasks.find(({ id }) => id === need)?.title ?? need).join(', ')}</p>
      )}
      {task.result != null && <CodeBlock text={inText(task.result)} label="Result" />}
      {task.error != null && (
        <p className="text-bad break-words">
          <code className="font-mono text-sm">{task.error.code}</code> {task.error.message}
        </p>
      )}
      {task.notes.map(({ text, at }) => (
        <p key={at + text} className="border-line border-l-2 pl-3 break-words whitespace-pre-wrap">
          {text}
          <span className="text-muted block text-sm">
            <Ago at={at} />
          </span>
        </p>
      ))}
    </div>
  );
}
