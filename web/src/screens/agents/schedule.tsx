import type { Schedule, ScheduleFire } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { inText } from '../../agents/json-text';
import { ScheduleForm } from '../../agents/schedule-form';
import { ScheduleState } from '../../agents/schedule-state';
import { FIRES, inZone, OVERLAPS, timesInWords } from '../../agents/schedule-words';
import { agentQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { firesQuery, refreshSchedules, scheduleQuery } from '../../data/schedules';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { ErrorNote } from '../../ui/error-note';
import { Fact } from '../../ui/fact';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
  readonly schedule: string;
}

interface PartProps {
  readonly org: string;
  readonly schedule: Schedule;
}

export function prepare({ org, schedule }: Params): void {
  queries.query(scheduleQuery(org, schedule)).catch(ignore);
}

export function Screen({ org, schedule: id }: Params): ReactNode {
  const query = useQuery(scheduleQuery(org, id));
  const mayWrite = useMay(org, 'agents:write');
  return (
    <Page
      title={query.data?.name ?? 'Schedule'}
      above={[
        ['Agents', pathTo('agents', { org })],
        ['Schedules', pathTo('schedules', { org })],
      ]}
      {...(query.data !== undefined && { state: <ScheduleState schedule={query.data} /> })}
      {...(query.data !== undefined && mayWrite && { actions: <Actions org={org} schedule={query.data} /> })}
    >
      <Loaded query={query}>
        {(schedule) => (
          <>
            <Facts org={org} schedule={schedule} />
            <Section title="Input">
              <CodeBlock text={inText(schedule.input)} label="Input" wrap />
            </Section>
            <Fires org={org} schedule={schedule} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ org, schedule }: PartProps): ReactNode {
  const [, go] = useLocation();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => {
    setOpen(undefined);
  };
  const onSuccess = (): Promise<void> => refreshSchedules(org);
  const turn = useMutation({
    mutationFn: () =>
      api.schedules[schedule.state === 'active' ? 'pause' : 'resume'](schedule.id, { organization: org }),
    onSuccess,
  });
  const trigger = useMutation({
    mutationFn: () => api.schedules.trigger(schedule.id, { organization: org }),
    onSuccess,
  });
  const error = turn.error ?? trigger.error;
  return (
    <>
      <Button
        busy={trigger.isPending}
        onClick={() => {
          trigger.mutate();
        }}
      >
        Run now
      </Button>
      {schedule.paused_because !== 'finished' && (
        <Button
          busy={turn.isPending}
          onClick={() => {
            turn.mutate();
          }}
        >
          {schedule.state === 'active' ? 'Pause' : 'Resume'}
        </Button>
      )}
      <Button
        onClick={() => {
          setOpen('edit');
        }}
      >
        Edit
      </Button>
      <Button
        look="danger"
        onClick={() => {
          setOpen('delete');
        }}
      >
        Delete
      </Button>
      {error !== null && <ErrorNote error={error} />}
      <Dialog open={open === 'edit'} title={`Edit ${schedule.name}`} wide onClose={close}>
        <ScheduleForm
          org={org}
          schedule={schedule}
          onCancel={close}
          onSubmit={async (change) => {
            await api.schedules.update(schedule.id, change, { organization: org });
            await refreshSchedules(org);
            close();
          }}
        />
      </Dialog>
      <Confirm
        open={open === 'delete'}
        title={`Delete ${schedule.name}?`}
        action="Delete the schedule"
        danger
        onClose={close}
        onConfirm={async () => {
          await api.schedules.delete(schedule.id, { organization: org });
          go(pathTo('schedules', { org }));
          await refreshSchedules(org);
        }}
      >
        It starts no more runs. Runs that it has started go on.
      </Confirm>
    </>
  );
}

function Facts({ org, schedule }: PartProps): ReactNode {
  const agent = useQuery(agentQuery(org, schedule.agent_id));
  return (
    <dl className="card mb-8 grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
      <Fact name="When">
        {timesInWords(schedule)}, {schedule.time_zone}
      </Fact>
      <Fact name="Agent">
        <ScreenLink to="agent" params={{ org, agent: schedule.agent_id }} className="link">
          {agent.data?.name ?? schedule.agent_id}
        </ScreenLink>
      </Fact>
      <Fact name="Next times">
        <span>
          {schedule.next_fires.length === 0
            ? 'None'
            : schedule.next_fires.map((at) => (
                <span key={at} className="block">
                  {inZone(at, schedule.time_zone)}
                </span>
              ))}
        </span>
      </Fact>
      <Fact name="If the last run is still active">
        {OVERLAPS.find(([overlap]) => overlap === schedule.overlap)?.[1]}
      </Fact>
      <Fact name="If times were missed">
        {schedule.catch_up === 'all' ? 'Start for each of them' : 'Start once, for the latest'}
      </Fact>
      <Fact name="Failures in a row">{schedule.failures_in_a_row}</Fact>
    </dl>
  );
}

function Fires({ org, schedule }: PartProps): ReactNode {
  const fires = useInfiniteQuery(firesQuery(org, schedule.id));
  return (
    <Section title="History" hint="The times at which it was due, and what came of them.">
      <Loaded query={fires}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">It has not fired yet.</p>
          ) : (
            <FireTable org={org} rows={rowsOf(data)} zone={schedule.time_zone} more={<More query={fires} />} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface FireTableProps {
  readonly org: string;
  readonly rows: readonly ScheduleFire[];
  readonly zone: string;
  readonly more: ReactNode;
}

function FireTable({ org, rows, zone, more }: FireTableProps): ReactNode {
  return (
    <Table
      label="History, the latest first"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Due',
          cell: ({ due_at: at }) => (
            <span title={inZone(at, zone)} className="whitespace-nowrap">
              <Ago at={at} />
            </span>
          ),
        },
        {
          title: 'Outcome',
          cell: ({ state, reason }) => (
            <span className="inline-flex flex-wrap items-center gap-x-2">
              <State tone={FIRES[state][0]}>{FIRES[state][1]}</State>
              {reason != null && <span className="text-muted text-sm">{reason.replaceAll('_', ' ')}</span>}
            </span>
          ),
        },
        {
          title: 'Run',
          cell: ({ run_id: run }) =>
            run == null ? (
              '–'
            ) : (
              <ScreenLink to="run" params={{ org, run }} className="link">
                Open the run
              </ScreenLink>
            ),
        },
      ]}
    />
  );
}
