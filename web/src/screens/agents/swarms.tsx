import type { Swarm } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { AgentsFrame } from '../../agents/agents-frame';
import { SwarmState } from '../../agents/swarm-state';
import { money } from '../../chart/units';
import { agentsQuery } from '../../data/agents';
import { useMay, useOrganization } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { refreshSwarms, swarmQuery, swarmsQuery } from '../../data/swarms';
import { pathTo } from '../../paths';
import { Area } from '../../ui/area';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(swarmsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const swarms = useInfiniteQuery(swarmsQuery(org));
  const isFree = useOrganization(org)?.plan === 'free';
  const mayRun = useMay(org, 'agents:run');
  const [isAdding, setIsAdding] = useState(false);
  const add = mayRun && !isFree && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New swarm
    </AddButton>
  );
  return (
    <AgentsFrame org={org} open="swarms" actions={add}>
      {isFree && (
        <p className="bg-warn-soft mb-4 rounded-md p-3">
          Swarms start with the Builder plan.{' '}
          <a className="link" href="/pricing" target="_blank" rel="noreferrer">
            See plans and prices
          </a>
        </p>
      )}
      <Loaded query={swarms}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="members" title="No swarms yet" action={add}>
              <p>
                A coordinator splits a goal into tasks, and workers claim them, all within one budget. Start one here,
                or in a terminal:
              </p>
              <div className="mt-4">
                <CopyLine text="service swarms run swarm.yml" label="The command that starts a swarm" />
              </div>
            </Empty>
          ) : (
            <Swarms org={org} rows={rowsOf(data)} more={<More query={swarms} />} />
          )
        }
      </Loaded>
      <NewSwarmDialog
        org={org}
        open={isAdding}
        onClose={() => {
          setIsAdding(false);
        }}
      />
    </AgentsFrame>
  );
}

interface SwarmsProps extends Params {
  readonly rows: readonly Swarm[];
  readonly more: ReactNode;
}

function Swarms({ org, rows, more }: SwarmsProps): ReactNode {
  return (
    <Table
      label="Swarms"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, goal }) => (
            <div className="max-w-44 sm:max-w-80">
              <ScreenLink to="swarm" params={{ org, swarm: id }} className="block truncate font-medium hover:underline">
                {name}
              </ScreenLink>
              <span className="text-muted block truncate text-sm">{goal}</span>
            </div>
          ),
        },
        { title: 'State', cell: (swarm) => <SwarmState swarm={swarm} /> },
        {
          title: 'Tasks done',
          numeric: true,
          cell: ({ tasks }) => `${tasks.done} of ${Object.values(tasks).reduce((sum, count) => sum + count, 0)}`,
        },
        {
          title: 'Cost',
          numeric: true,
          wideOnly: true,
          cell: ({ cost, budget }) => (
            <>
              {money(Number(cost))} <span className="text-muted">of {money(Number(budget.cost))}</span>
            </>
          ),
        },
        {
          title: 'Created',
          wideOnly: true,
          cell: ({ created_at: at }) => <When at={at} />,
        },
      ]}
    />
  );
}

interface NewSwarmDialogProps extends Params {
  readonly open: boolean;
  readonly onClose: () => void;
}

function NewSwarmDialog({ org, open, onClose }: NewSwarmDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title="New swarm" wide onClose={onClose}>
      <Form
        label="New swarm"
        submit="Start the swarm"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', goal = '', coordinator = '', worker = '', count = '1', cost = '1.00' }) => {
          const swarm = await api.swarms.create(
            {
              name,
              goal,
              coordinator: { agent_id: coordinator },
              workers: [{ agent_id: worker, count: Number(count) }],
              budget: { cost },
            },
            { organization: org },
          );
          queries.setQueryData(swarmQuery(org, swarm.id).queryKey, swarm);
          void refreshSwarms(org);
          go(pathTo('swarm', { org, swarm: swarm.id }));
        }}
      >
        <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Market research" />
        <Area label="Goal" name="goal" required rows={4} placeholder="What all of them work towards" />
        <AgentChoice
          org={org}
          label="Coordinator"
          name="coordinator"
          hint="It splits the goal into tasks and ends the swarm."
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <AgentChoice org={org} label="Workers" name="worker" />
          <Field label="How many" name="count" type="number" min={1} max={100} required defaultValue={2} />
        </div>
        <Field
          label="Highest cost in USD"
          name="cost"
          inputMode="decimal"
          required
          defaultValue="5.00"
          hint="For the coordinator and all workers together."
        />
      </Form>
    </Dialog>
  );
}

interface AgentChoiceProps extends Params {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
}

function AgentChoice({ org, ...facts }: AgentChoiceProps): ReactNode {
  const agents = rowsOf(useInfiniteQuery(agentsQuery(org)).data);
  return (
    <Choice {...facts} required defaultValue="">
      <option value="" disabled>
        Choose an agent
      </option>
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}
