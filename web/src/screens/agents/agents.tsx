import type { Agent, AgentRun, SpendingBudget } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { AgentState } from '../../agents/agent-frame';
import { AgentsFrame } from '../../agents/agents-frame';
import { RunState } from '../../agents/run-state';
import { money } from '../../chart/units';
import { agentsQuery } from '../../data/agents';
import { budgetsQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { runsQuery } from '../../data/runs';
import { pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

/** How many of the latest runs the list of agents looks at. */
const RUNS = 100;

export function prepare({ org }: Params): void {
  queries.infiniteQuery(agentsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const agents = useInfiniteQuery(agentsQuery(org));
  const mayWrite = useMay(org, 'agents:write');
  const add = mayWrite && (
    <ButtonLink look="primary" href={pathTo('newAgent', { org })}>
      <Icon name="plus" size={14} />
      New agent
    </ButtonLink>
  );
  return (
    <AgentsFrame org={org} open="agents" actions={add}>
      <Loaded query={agents}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="agents" title="No agents yet" action={add}>
              <p>
                An agent follows your instructions with the tools that you allow, within a budget that it cannot exceed.
                Create one here, or from a file:
              </p>
              <div className="mt-4">
                <CopyLine text="service agents push agent.yml" label="The command that creates an agent" />
              </div>
            </Empty>
          ) : (
            <Agents org={org} rows={rowsOf(data)} more={<More query={agents} />} />
          )
        }
      </Loaded>
    </AgentsFrame>
  );
}

interface AgentsProps extends Params {
  readonly rows: readonly Agent[];
  readonly more: ReactNode;
}

function Agents({ org, rows, more }: AgentsProps): ReactNode {
  const runs = rowsOf(useInfiniteQuery(runsQuery(org, {}, RUNS)).data);
  const mayPay = useMay(org, 'billing:read');
  const budgets = useInfiniteQuery({ ...budgetsQuery(org), enabled: mayPay });
  return (
    <Table
      label="Agents"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, description }) => (
            <div className="max-w-28 sm:max-w-72">
              <ScreenLink to="agent" params={{ org, agent: id }} className="block truncate font-medium hover:underline">
                {name}
              </ScreenLink>
              {description != null && <span className="text-muted block truncate text-sm">{description}</span>}
            </div>
          ),
        },
        { title: 'State', cell: (agent) => <AgentState agent={agent} /> },
        {
          title: 'Last run',
          cell: ({ id }) => <LastRun org={org} run={runs.find((run) => run.agent_id === id)} />,
        },
        {
          title: 'This month',
          wideOnly: true,
          numeric: true,
          cell: ({ id }) => (
            <Cost
              runs={runs.filter((run) => run.agent_id === id)}
              all={runs}
              budget={rowsOf(budgets.data).find(({ subject }) => subject === `agent:${id}`)}
            />
          ),
        },
      ]}
    />
  );
}

function LastRun({ org, run }: Params & { readonly run: AgentRun | undefined }): ReactNode {
  if (run === undefined) return <span className="text-muted">–</span>;
  return (
    <ScreenLink to="run" params={{ org, run: run.id }} className="inline-flex flex-wrap items-center gap-x-2">
      <RunState run={run} />
      <span className="text-muted text-sm whitespace-nowrap">
        <Ago at={run.created_at} />
      </span>
    </ScreenLink>
  );
}

interface CostProps {
  readonly runs: readonly AgentRun[];
  readonly all: readonly AgentRun[];
  readonly budget: SpendingBudget | undefined;
}

/** The monthly limit knows the cost exactly. Without one, the runs that were fetched are added up. */
function Cost({ runs, all, budget }: CostProps): ReactNode {
  if (budget !== undefined)
    return (
      <>
        {money(Number(budget.spent))} <span className="text-muted">of {money(Number(budget.limit))}</span>
      </>
    );
  const month = new Date().toISOString().slice(0, 7);
  const sum = runs
    .filter((run) => run.created_at.startsWith(month))
    .reduce((total, { cost }) => total + Number(cost), 0);
  const isWhole = all.length < RUNS || !all.at(-1)!.created_at.startsWith(month);
  return (
    <>
      {!isWhole && <span className="text-muted">at least </span>}
      {money(sum)}
    </>
  );
}
