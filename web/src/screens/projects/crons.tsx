import type { Cron, CronRun } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { useMay, useOrganization } from '../../data/me';
import { cronRunsQuery, cronsQuery } from '../../data/project-settings';
import { scheduleInWords } from '../../data/schedule-words';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';
import { ProjectFrame, type ProjectParams } from './project-frame';

const STATES = {
  active: ['good', 'Active'],
  disabled: ['quiet', 'Off'],
  paused: ['warn', 'Paused'],
} as const;

const OUTCOMES: Readonly<Record<CronRun['outcome'], readonly ['good' | 'bad' | 'warn' | 'quiet', string]>> = {
  running: ['warn', 'Running'],
  succeeded: ['good', 'Succeeded'],
  failed: ['bad', 'Failed'],
  timed_out: ['bad', 'Timed out'],
  overlapped: ['quiet', 'The last one still ran'],
  missed: ['quiet', 'Missed'],
  no_production: ['quiet', 'Nothing in production'],
  lost: ['bad', 'Lost'],
};

export function prepare({ project }: ProjectParams): void {
  queries.query(cronsQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const crons = useQuery(cronsQuery(project));
  const isFree = useOrganization(org)?.plan === 'free';
  const mayChange = useMay(org, 'deploys:write');
  const [adding, setAdding] = useState(false);
  const [looked, setLooked] = useState<Cron>();
  const [removed, setRemoved] = useState<Cron>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: cronsQuery(project).queryKey });
  const turn = useMutation({
    mutationFn: ({ id, enabled }: Cron) => api.projects.updateCron(project, id, { enabled: !enabled }),
    onSuccess: refresh,
  });
  const runNow = useMutation({
    mutationFn: ({ id }: Cron) => api.projects.runCron(project, id),
    // The run is in the list that opens, and its outcome follows there.
    onSuccess: async (_, cron) => {
      await queries.invalidateQueries({ queryKey: cronRunsQuery(project, cron.id).queryKey });
      setLooked(cron);
    },
  });
  const error = turn.error ?? runNow.error;
  const closeNew = (): void => {
    setAdding(false);
  };
  const add = mayChange && !isFree && (
    <AddButton
      onClick={() => {
        setAdding(true);
      }}
    >
      New cron
    </AddButton>
  );
  return (
    <ProjectFrame org={org} project={project} open="projectCrons" {...(add !== false && { actions: add })}>
      {isFree && (
        <p className="bg-warn-soft mb-4 rounded-md p-3">
          Crons start with the Builder plan. On Free they cannot be created, and those of before are paused.{' '}
          <a className="link" href="/pricing" target="_blank" rel="noreferrer">
            See plans and prices
          </a>
        </p>
      )}
      {error !== null && (
        <div className="mb-4">
          <ErrorNote error={error} />
        </div>
      )}
      <Loaded query={crons}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="clock" title="No crons yet" action={add}>
              A cron requests a path of the production site at times of a schedule. They are set here or in vercel.json.
            </Empty>
          ) : (
            <Crons
              crons={found}
              mayChange={mayChange}
              onLook={setLooked}
              {...(mayChange && !isFree && { onRun: runNow.mutate })}
              onRemove={setRemoved}
              onTurn={(cron) => {
                turn.mutate(cron);
              }}
            />
          )
        }
      </Loaded>
      <Dialog open={adding} title="New cron" onClose={closeNew}>
        <Form
          label="New cron"
          submit="Create the cron"
          aside={<Button onClick={closeNew}>Cancel</Button>}
          onSubmit={async ({ path = '', schedule = '', time_zone = 'UTC' }) => {
            await api.projects.createCron(project, { path, schedule, time_zone });
            await refresh();
            closeNew();
          }}
        >
          <Field label="Path" name="path" required autoFocus placeholder="/api/cleanup" className="font-mono" />
          <ScheduleField />
          <Field
            label="Time zone"
            name="time_zone"
            required
            defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone}
          />
        </Form>
      </Dialog>
      <Dialog
        open={looked !== undefined}
        title={`Runs of ${looked?.path ?? ''}`}
        wide
        onClose={() => {
          setLooked(undefined);
        }}
      >
        {looked !== undefined && <Runs project={project} cron={looked.id} />}
      </Dialog>
      <Confirm
        open={removed !== undefined}
        title={`Remove ${removed?.path ?? ''}?`}
        action="Remove the cron"
        danger
        onClose={() => {
          setRemoved(undefined);
        }}
        onConfirm={async () => {
          if (removed !== undefined) await api.projects.deleteCron(project, removed.id);
          await refresh();
        }}
      >
        It does not run again, and its history goes with it.
      </Confirm>
    </ProjectFrame>
  );
}

function ScheduleField(): ReactNode {
  const [schedule, setSchedule] = useState('0 5 * * *');
  return (
    <Field
      label="Schedule"
      name="schedule"
      required
      className="font-mono"
      value={schedule}
      onChange={({ target }) => {
        setSchedule(target.value);
      }}
      hint={scheduleInWords(schedule) ?? 'Minute, hour, day of month, month and day of week.'}
    />
  );
}

interface CronsProps {
  readonly crons: readonly Cron[];
  readonly mayChange: boolean;
  readonly onLook: (cron: Cron) => void;
  /** Absent where the plan or the role does not allow it. */
  readonly onRun?: (cron: Cron) => void;
  readonly onTurn: (cron: Cron) => void;
  readonly onRemove: (cron: Cron) => void;
}

function Crons({ crons, mayChange, onLook, onRun, onTurn, onRemove }: CronsProps): ReactNode {
  return (
    <Table
      label="Crons"
      rows={crons}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Path',
          cell: ({ path, schedule, time_zone: zone, source }) => (
            <div className="max-w-44 sm:max-w-80">
              <code className="block truncate font-mono text-sm font-medium">{path}</code>
              <span className="text-muted block truncate text-xs" title={schedule}>
                {scheduleInWords(schedule) ?? schedule}, {zone}
                {source === 'file' && ', from vercel.json'}
              </span>
            </div>
          ),
        },
        { title: 'State', cell: ({ state }) => <State tone={STATES[state][0]}>{STATES[state][1]}</State> },
        {
          title: 'Next',
          wideOnly: true,
          cell: ({ next_runs: [next] }) => (
            <span className="text-muted whitespace-nowrap">{next === undefined ? '–' : <Ago at={next} />}</span>
          ),
        },
        {
          title: 'Actions',
          actions: true,
          cell: (cron) => (
            <span className="inline-flex">
              <Button
                look="quiet"
                onClick={() => {
                  onLook(cron);
                }}
              >
                Runs<span className="sr-only"> of {cron.path}</span>
              </Button>
              {onRun !== undefined && (
                <Button
                  look="quiet"
                  onClick={() => {
                    onRun(cron);
                  }}
                >
                  Run now<span className="sr-only">: {cron.path}</span>
                </Button>
              )}
              {mayChange && (
                <Button
                  look="quiet"
                  onClick={() => {
                    onTurn(cron);
                  }}
                >
                  {cron.enabled ? 'Turn off' : 'Turn on'}
                  <span className="sr-only"> {cron.path}</span>
                </Button>
              )}
              {mayChange && cron.source === 'api' && (
                <Button
                  look="quiet"
                  aria-label={`Remove ${cron.path}`}
                  className="!px-2"
                  onClick={() => {
                    onRemove(cron);
                  }}
                >
                  <Icon name="close" size={14} />
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

/** The last hundred, the latest first. */
function Runs({ project, cron }: { readonly project: string; readonly cron: string }): ReactNode {
  const runs = useQuery(cronRunsQuery(project, cron));
  return (
    <Loaded query={runs}>
      {(found) =>
        found.length === 0 ? (
          <p className="text-muted">It has not run yet.</p>
        ) : (
          <div className="max-h-96 overflow-y-auto">
            <Table
              label="Runs, the latest first"
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'When',
                  cell: ({ scheduled_for: at, trigger }) => (
                    <span className="whitespace-nowrap">
                      <Ago at={at} />
                      {trigger === 'manual' && <span className="text-muted">, by hand</span>}
                    </span>
                  ),
                },
                {
                  title: 'Outcome',
                  cell: ({ outcome }) => <State tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</State>,
                },
                { title: 'Status', cell: ({ status }) => status ?? '–' },
                {
                  title: 'Took',
                  cell: ({ duration_ms: ms }) => (ms === undefined ? '–' : `${ms.toLocaleString('en')} ms`),
                },
              ]}
            />
          </div>
        )
      }
    </Loaded>
  );
}
