import type { Agent, AgentRun } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { RUN_STATES } from '../../agents/run-state';
import { RunTable } from '../../agents/run-table';
import { agentQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { runQuery, runsQuery } from '../../data/runs';
import { pathTo } from '../../paths';
import { Area } from '../../ui/area';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';

export function prepare({ org, agent }: AgentParams): void {
  queries.query(agentQuery(org, agent)).catch(ignore);
}

export function Screen({ org, agent: id }: AgentParams): ReactNode {
  const mayRun = useMay(org, 'agents:run');
  const [isStarting, setIsStarting] = useState(false);
  const start = mayRun && (
    <Button
      look="primary"
      onClick={() => {
        setIsStarting(true);
      }}
    >
      <Icon name="play" size={14} />
      Start a run
    </Button>
  );
  return (
    <AgentFrame org={org} agent={id} open="agent" actions={start}>
      {(agent) => (
        <>
          <Runs org={org} agent={agent} start={start} />
          <StartDialog
            org={org}
            agent={agent}
            open={isStarting}
            onClose={() => {
              setIsStarting(false);
            }}
          />
        </>
      )}
    </AgentFrame>
  );
}

interface RunsProps {
  readonly org: string;
  readonly agent: Agent;
  readonly start: ReactNode;
}

/** The filter is in the address. */
function Runs({ org, agent, start }: RunsProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const state = RUN_STATES.find((each) => each.state === search.get('state'))?.state;
  const runs = useInfiniteQuery(runsQuery(org, { agent_id: agent.id, ...(state === undefined ? {} : { state }) }));
  return (
    <>
      <div className="mb-3">
        <select
          aria-label="State"
          className="input w-auto"
          value={state ?? ''}
          onChange={({ target }) => {
            setSearch(target.value === '' ? {} : { state: target.value }, { replace: true });
          }}
        >
          <option value="">All states</option>
          {RUN_STATES.map((each) => (
            <option key={each.state} value={each.state}>
              {each.word}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={runs}>
        {(data) =>
          rowsOf(data).length > 0 ? (
            <RunTable org={org} rows={rowsOf(data)} more={<More query={runs} />} />
          ) : state !== undefined ? (
            <Empty icon="search" title="No run matches">
              Choose all states to see more.
            </Empty>
          ) : (
            <NoRuns agent={agent} start={start} />
          )
        }
      </Loaded>
    </>
  );
}

function NoRuns({ agent, start }: Omit<RunsProps, 'org'>): ReactNode {
  return (
    <Empty icon="play" title="No runs yet" action={start}>
      <p>Give it something to do here, or from a terminal:</p>
      <div className="mt-4">
        <CopyLine
          text={`service agents run ${agent.slug} "…" --max-cost 0.5 --watch`}
          label="The command that starts a run"
        />
      </div>
    </Empty>
  );
}

interface StartDialogProps {
  readonly org: string;
  readonly agent: Agent;
  readonly open: boolean;
  readonly onClose: () => void;
}

function StartDialog({ org, agent, open, onClose }: StartDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title={`Start a run of ${agent.name}`} wide onClose={onClose}>
      <Form
        label="Start a run"
        submit="Start the run"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ input = '', cost = '' }) => {
          const run: AgentRun = await api.agents.run(
            agent.id,
            { input, ...(cost === '' ? {} : { budget: { cost } }) },
            { organization: org },
          );
          queries.setQueryData(runQuery(org, run.id).queryKey, run);
          void queries.invalidateQueries({ queryKey: ['runs', org] });
          go(pathTo('run', { org, run: run.id }));
        }}
      >
        <Area label="Input" name="input" required autoFocus rows={5} placeholder="What should it do?" />
        <Field
          label="Highest cost in USD"
          name="cost"
          inputMode="decimal"
          placeholder="The budget of the version"
          hint="The run pauses before it would exceed this."
        />
      </Form>
    </Dialog>
  );
}
