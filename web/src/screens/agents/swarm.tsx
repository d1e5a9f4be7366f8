import type { Swarm } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { Board } from '../../agents/board';
import { inText } from '../../agents/json-text';
import { RunTable } from '../../agents/run-table';
import { SwarmState } from '../../agents/swarm-state';
import { AnswerText } from '../../ai/answer';
import { money } from '../../chart/units';
import { agentsQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { runsQuery } from '../../data/runs';
import { refreshSwarms, swarmQuery, tasksQuery } from '../../data/swarms';
import { pathTo } from '../../paths';
import { Area } from '../../ui/area';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Dialog } from '../../ui/dialog';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';

interface Params {
  readonly org: string;
  readonly swarm: string;
}

interface PartProps {
  readonly org: string;
  readonly swarm: Swarm;
}

const isActive = ({ state }: Pick<Swarm, 'state'>): boolean => state === 'running' || state === 'stalled';

export function prepare({ org, swarm }: Params): void {
  queries.query(swarmQuery(org, swarm)).catch(ignore);
}

export function Screen({ org, swarm: id }: Params): ReactNode {
  const query = useQuery(swarmQuery(org, id));
  const mayRun = useMay(org, 'agents:run');
  return (
    <Page
      title={query.data?.name ?? 'Swarm'}
      above={[
        ['Agents', pathTo('agents', { org })],
        ['Swarms', pathTo('swarms', { org })],
      ]}
      {...(query.data !== undefined && { state: <SwarmState swarm={query.data} /> })}
      {...(query.data !== undefined &&
        mayRun &&
        isActive(query.data) && { actions: <Actions org={org} swarm={query.data} /> })}
    >
      <Loaded query={query}>
        {(swarm) => (
          <>
            <p className="mb-6 max-w-3xl break-words whitespace-pre-wrap">{swarm.goal}</p>
            {swarm.state === 'stalled' && (
              <p role="alert" className="bg-warn-soft mb-6 rounded-md p-3">
                No task moves any more. Add a task, answer what its runs ask, or cancel the swarm.
              </p>
            )}
            <Team org={org} swarm={swarm} />
            <Tasks org={org} swarm={swarm} />
            <End swarm={swarm} />
            <SwarmRuns org={org} swarm={swarm} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ org, swarm }: PartProps): ReactNode {
  const [isAdding, setIsAdding] = useState(false);
  const close = (): void => {
    setIsAdding(false);
  };
  const cancel = useMutation({
    mutationFn: () => api.swarms.cancel(swarm.id, { organization: org }),
    onSettled: () => refreshSwarms(org),
  });
  return (
    <>
      <Button
        onClick={() => {
          setIsAdding(true);
        }}
      >
        Add a task
      </Button>
      <Button
        look="danger"
        busy={cancel.isPending}
        onClick={() => {
          cancel.mutate();
        }}
      >
        Cancel the swarm
      </Button>
      {cancel.error !== null && <ErrorNote error={cancel.error} />}
      <Dialog open={isAdding} title="New task" wide onClose={close}>
        <Form
          label="New task"
          submit="Add the task"
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async ({ title = '', description = '' }) => {
            await api.swarms.tasks.create(
              swarm.id,
              { title, ...(description === '' ? {} : { description }) },
              { organization: org },
            );
            await refreshSwarms(org);
            close();
          }}
        >
          <Field label="Title" name="title" required autoFocus maxLength={200} />
          <Area label="Description" name="description" rows={4} />
        </Form>
      </Dialog>
    </>
  );
}

function Team({ org, swarm }: PartProps): ReactNode {
  const names = new Map(rowsOf(useInfiniteQuery(agentsQuery(org)).data).map(({ id, name }) => [id, name]));
  const { coordinator, workers, cost, budget } = swarm;
  const nameOf = (agent: string): string => names.get(agent) ?? 'Agent';
  return (
    <div className="card mb-8 grid gap-x-8 gap-y-4 p-4 sm:grid-cols-2">
      <MeterBar label="Cost" used={Number(cost)} limit={Number(budget.cost)}>
        {money(Number(cost))} of {money(Number(budget.cost))}, {money(Number(budget.coordinator_reserve))} kept for the
        coordinator
      </MeterBar>
      <ul aria-label="Agents" className="grid content-start gap-1">
        <li>
          Coordinator:{' '}
          {coordinator.run_id == null ? (
            nameOf(coordinator.agent_id)
          ) : (
            <ScreenLink to="run" params={{ org, run: coordinator.run_id }} className="link">
              {nameOf(coordinator.agent_id)}
            </ScreenLink>
          )}
        </li>
        {workers.map(({ agent_id: agent, count }) => (
          <li key={agent}>
            {`${count} × `}
            <ScreenLink to="agent" params={{ org, agent }} className="link">
              {nameOf(agent)}
            </ScreenLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Tasks({ org, swarm }: PartProps): ReactNode {
  const tasks = useInfiniteQuery(tasksQuery(org, swarm.id, isActive(swarm)));
  return (
    <Section title="Board" {...(isActive(swarm) && { hint: 'It follows the swarm by itself.' })}>
      <Loaded query={tasks}>{(data) => <Board org={org} tasks={rowsOf(data)} />}</Loaded>
      <More query={tasks} />
    </Section>
  );
}

function End({ swarm }: { readonly swarm: Swarm }): ReactNode {
  if (swarm.error != null)
    return (
      <Section title="Error">
        <div className="bg-bad-soft rounded-md p-3">
          <p className="text-bad font-medium break-words">{swarm.error.message}</p>
          <code className="font-mono text-sm">{swarm.error.code}</code>
        </div>
      </Section>
    );
  if (swarm.output == null) return null;
  return (
    <Section title="Output">
      {typeof swarm.output === 'string' ? (
        <div className="card grid gap-3 p-4">
          <AnswerText text={swarm.output} />
        </div>
      ) : (
        <CodeBlock text={inText(swarm.output)} label="Output" />
      )}
    </Section>
  );
}

function SwarmRuns({ org, swarm }: PartProps): ReactNode {
  const runs = useInfiniteQuery(runsQuery(org, { swarm_id: swarm.id }));
  if (rowsOf(runs.data).length === 0) return null;
  return (
    <Section title="Runs">
      <RunTable org={org} rows={rowsOf(runs.data)} more={<More query={runs} />} label="Runs of the swarm" />
    </Section>
  );
}
