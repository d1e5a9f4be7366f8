import type { AgentRun } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { api, ignore, queries } from '../../api';
import { inText } from '../../agents/json-text';
import { RunState } from '../../agents/run-state';
import { RunTable, TRIGGERS } from '../../agents/run-table';
import { Timeline } from '../../agents/timeline';
import { useRunNews } from '../../agents/use-run-news';
import { AnswerText } from '../../ai/answer';
import { money } from '../../chart/units';
import { agentQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { isOver, refreshRun, runQuery, runsQuery, stepsQuery } from '../../data/runs';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Copy } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Ago, durationOf } from '../../ui/time';

/** Few runs wait for a person. */
const Waiting = lazy(async () => ({ default: (await import('../../agents/waiting')).Waiting }));

interface Params {
  readonly org: string;
  readonly run: string;
}

export function prepare({ org, run }: Params): void {
  queries.query(runQuery(org, run)).catch(ignore);
  queries.infiniteQuery(stepsQuery(org, run)).catch(ignore);
}

export function Screen({ org, run: id }: Params): ReactNode {
  const run = useQuery(runQuery(org, id));
  const agentId = run.data?.agent_id;
  const agent = useQuery({ ...agentQuery(org, agentId ?? ''), enabled: agentId !== undefined });
  const name = agent.data?.name ?? 'Agent';
  return (
    <Page
      title={`Run of ${name}`}
      above={[
        ['Agents', pathTo('agents', { org })],
        ...(agentId === undefined ? [] : [[name, pathTo('agent', { org, agent: agentId })] as const]),
      ]}
      {...(run.data !== undefined && {
        state: <RunState run={run.data} />,
        actions: <Actions org={org} run={run.data} />,
      })}
    >
      <Loaded query={run}>{(found) => <Run org={org} run={found} />}</Loaded>
    </Page>
  );
}

interface PartProps {
  readonly org: string;
  readonly run: AgentRun;
}

function Actions({ org, run }: PartProps): ReactNode {
  const mayRun = useMay(org, 'agents:run');
  const cancel = useMutation({
    mutationFn: () => api.runs.cancel(run.id, { organization: org }),
    onSettled: () => refreshRun(org, run.id),
  });
  const save = useMutation({
    mutationFn: async () => {
      const text = await api.runs.markdown(run.id, { organization: org });
      const url = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `${run.id}.md`;
      link.click();
      URL.revokeObjectURL(url);
    },
  });
  const error = cancel.error ?? save.error;
  return (
    <>
      <Button
        busy={save.isPending}
        onClick={() => {
          save.mutate();
        }}
      >
        Download the transcript
      </Button>
      {mayRun && !isOver(run) && (
        <Button
          look="danger"
          busy={cancel.isPending}
          onClick={() => {
            cancel.mutate();
          }}
        >
          Cancel the run
        </Button>
      )}
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}

function Run({ org, run }: PartProps): ReactNode {
  const steps = useInfiniteQuery(stepsQuery(org, run.id));
  const over = isOver(run);
  const { text, isLive } = useRunNews(org, run.id, over);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = steps;
  // A timeline has no end that is out of view.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const rows = rowsOf(steps.data);
  return (
    <>
      <Facts org={org} run={run} />
      <Suspense fallback={null}>
        <Waiting org={org} run={run} calls={rows.flatMap(({ tool_calls: calls }) => calls)} />
      </Suspense>
      <Meters run={run} />
      <Section title="Input">
        <CodeBlock text={inText(run.input)} label="Input" wrap />
      </Section>
      <Section title="Steps" {...(!over && { hint: isLive ? 'Live' : 'Connecting…' })}>
        <Loaded query={steps}>
          {() => <Timeline org={org} steps={rows} writing={text} isOver={over} isRunning={run.state === 'running'} />}
        </Loaded>
      </Section>
      <End run={run} />
      <Children org={org} run={run} />
    </>
  );
}

function Facts({ org, run }: PartProps): ReactNode {
  return (
    <p className="text-muted -mt-4 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className="inline-flex items-center gap-1">
        <code className="font-mono text-xs">{run.id}</code>
        <Copy text={run.id} label="Copy the id" />
      </span>
      <span>
        Version {run.agent_version}, started {TRIGGERS[run.trigger]} <Ago at={run.created_at} />
      </span>
      {run.parent_run_id != null && (
        <ScreenLink to="run" params={{ org, run: run.parent_run_id }} className="link">
          Parent run
        </ScreenLink>
      )}
      {run.swarm_id != null && (
        <ScreenLink to="swarm" params={{ org, swarm: run.swarm_id }} className="link">
          Swarm
        </ScreenLink>
      )}
      {run.schedule_id != null && (
        <ScreenLink to="schedule" params={{ org, schedule: run.schedule_id }} className="link">
          Schedule
        </ScreenLink>
      )}
      {run.continues != null && (
        <ScreenLink to="run" params={{ org, run: run.continues }} className="link">
          Continues this run
        </ScreenLink>
      )}
      {run.tainted && (
        <span title="From now on, calls with an effect outside of this service need approval.">
          <State tone="warn">Has read untrusted text</State>
        </span>
      )}
    </p>
  );
}

function Meters({ run }: { readonly run: AgentRun }): ReactNode {
  const { budget, used, cost } = run;
  return (
    <div className="card mb-8 grid gap-x-8 gap-y-4 p-4 sm:grid-cols-2 lg:grid-cols-4">
      <MeterBar label="Cost" used={Number(cost)} limit={Number(budget.cost)}>
        {money(Number(cost))} of {money(Number(budget.cost))}
      </MeterBar>
      <MeterBar label="Steps" used={used.steps} limit={budget.steps}>
        {used.steps} of {budget.steps}
      </MeterBar>
      <MeterBar label="Active" used={used.active_seconds} limit={budget.active_seconds}>
        {durationOf(used.active_seconds * 1_000)} of {durationOf(budget.active_seconds * 1_000)}
      </MeterBar>
      <MeterBar label="Tool calls" used={used.tool_calls} limit={budget.tool_calls}>
        {used.tool_calls} of {budget.tool_calls}
      </MeterBar>
    </div>
  );
}

function End({ run }: { readonly run: AgentRun }): ReactNode {
  if (run.error != null)
    return (
      <Section title="Error">
        <div className="bg-bad-soft rounded-md p-3">
          <p className="text-bad font-medium break-words">{run.error.message}</p>
          <code className="font-mono text-sm">{run.error.code}</code>
        </div>
      </Section>
    );
  if (run.output == null) return null;
  return (
    <Section title="Output">
      {typeof run.output === 'string' ? (
        <div className="card grid gap-3 p-4">
          <AnswerText text={run.output} />
        </div>
      ) : (
        <CodeBlock text={inText(run.output)} label="Output" wrap />
      )}
    </Section>
  );
}

/** The runs that it has started. Each leads to its own. */
function Children({ org, run }: PartProps): ReactNode {
  const children = rowsOf(useInfiniteQuery(runsQuery(org, { parent_run_id: run.id }, 100)).data);
  if (children.length === 0) return null;
  return (
    <Section title="Runs that it has started" hint="Their costs are part of its own.">
      <RunTable org={org} rows={children} label="Child runs" />
    </Section>
  );
}
