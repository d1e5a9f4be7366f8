import type { Schedule } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { AgentsFrame } from '../../agents/agents-frame';
import { ScheduleForm } from '../../agents/schedule-form';
import { ScheduleState } from '../../agents/schedule-state';
import { FIRES, timesInWords } from '../../agents/schedule-words';
import { agentsQuery } from '../../data/agents';
import { useMay, useOrganization } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { refreshSchedules, scheduleQuery, schedulesQuery } from '../../data/schedules';
import { pathTo } from '../../paths';
import { AddButton } from '../../ui/add-button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(schedulesQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const [, go] = useLocation();
  const schedules = useInfiniteQuery(schedulesQuery(org));
  const isFree = useOrganization(org)?.plan === 'free';
  const mayWrite = useMay(org, 'agents:write');
  const [isAdding, setIsAdding] = useState(false);
  const close = (): void => {
    setIsAdding(false);
  };
  const add = mayWrite && !isFree && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New schedule
    </AddButton>
  );
  return (
    <AgentsFrame org={org} open="schedules" actions={add}>
      {isFree && (
        <p className="bg-warn-soft mb-4 rounded-md p-3">
          Schedules start with the Builder plan.{' '}
          <a className="link" href="/pricing" target="_blank" rel="noreferrer">
            See plans and prices
          </a>
        </p>
      )}
      <Loaded query={schedules}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="clock" title="No schedules yet" action={add}>
              <p>A schedule starts runs of an agent at times of your zone. Create one here, or in a terminal:</p>
              <div className="mt-4">
                <CopyLine
                  text={'service schedules create daily-report --cron "0 9 * * 1-5"'}
                  label="The command that creates a schedule"
                />
              </div>
            </Empty>
          ) : (
            <Schedules org={org} rows={rowsOf(data)} more={<More query={schedules} />} />
          )
        }
      </Loaded>
      <Dialog open={isAdding} title="New schedule" wide onClose={close}>
        <ScheduleForm
          org={org}
          onCancel={close}
          onSubmit={async (wanted) => {
            const schedule = await api.schedules.create(wanted, { organization: org });
            queries.setQueryData(scheduleQuery(org, schedule.id).queryKey, schedule);
            void refreshSchedules(org);
            go(pathTo('schedule', { org, schedule: schedule.id }));
          }}
        />
      </Dialog>
    </AgentsFrame>
  );
}

interface SchedulesProps extends Params {
  readonly rows: readonly Schedule[];
  readonly more: ReactNode;
}

function Schedules({ org, rows, more }: SchedulesProps): ReactNode {
  const names = new Map(rowsOf(useInfiniteQuery(agentsQuery(org)).data).map(({ id, name }) => [id, name]));
  return (
    <Table
      label="Schedules"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: (schedule) => (
            <div className="max-w-44 sm:max-w-72">
              <ScreenLink
                to="schedule"
                params={{ org, schedule: schedule.id }}
                className="block truncate font-medium hover:underline"
              >
                {schedule.name}
              </ScreenLink>
              <span className="text-muted block truncate text-xs">
                {timesInWords(schedule)}, {schedule.time_zone}
              </span>
            </div>
          ),
        },
        { title: 'State', cell: (schedule) => <ScheduleState schedule={schedule} /> },
        {
          title: 'Next',
          cell: ({ next_fires: [next] }) => (
            <span className="text-muted whitespace-nowrap">{next === undefined ? '–' : <Ago at={next} />}</span>
          ),
        },
        {
          title: 'Last',
          wideOnly: true,
          cell: ({ last_fire: fire }) =>
            fire == null ? '–' : <State tone={FIRES[fire.state][0]}>{FIRES[fire.state][1]}</State>,
        },
        {
          title: 'Agent',
          wideOnly: true,
          cell: ({ agent_id: agent }) => (
            <ScreenLink to="agent" params={{ org, agent }} className="hover:underline">
              {names.get(agent) ?? 'Agent'}
            </ScreenLink>
          ),
        },
      ]}
    />
  );
}
