import type { FeatureFlags, OpsErrors, OpsManifest, OpsSchedules, OpsTask } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { useMe } from '../../data/me';
import { flagsQuery, installationQuery, opsErrorsQuery, opsTasksQuery, schedulesQuery } from '../../data/operator';
import { Button } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { noticeFailure } from '../../ui/notices';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago, When } from '../../ui/time';

export function prepare(): void {
  queries.query(installationQuery).catch(ignore);
}

const STATUSES = {
  ok: ['good', 'Everything works'],
  degraded: ['bad', 'A part is down'],
  draining: ['warn', 'Stopping'],
} as const;

/** How the installation is, and what waits for its operators. */
export function Screen(): ReactNode {
  const installation = useQuery(installationQuery);
  const { data } = installation;
  return (
    <Page
      title="Operator"
      state={data !== undefined && <State tone={STATUSES[data.status][0]}>{STATUSES[data.status][1]}</State>}
      actions={
        <>
          <ScreenLink to="operatorOrganizations" params={{}} className="link">
            Organizations
          </ScreenLink>
          <ScreenLink to="operatorMoney" params={{}} className="link">
            Plans and money
          </ScreenLink>
        </>
      }
    >
      <Section title="Tasks" hint="What alerts and the service itself ask of a person. A claim lasts 15 minutes.">
        <Tasks />
      </Section>
      <Section
        title="Health"
        hint={data !== undefined && `Version ${data.service.version}, role ${data.service.role}.`}
      >
        <Loaded query={installation}>{(found) => <Parts parts={found.parts} />}</Loaded>
      </Section>
      <Section title="Background work">
        <div className="grid gap-4">
          <Loaded query={installation}>{({ queues }) => <QueueStates queues={queues} />}</Loaded>
          <Loaded query={useQuery(schedulesQuery)}>{({ schedules }) => <Schedules schedules={schedules} />}</Loaded>
        </div>
      </Section>
      <Section title="Recent errors" hint="The log of the service has each one by the id of its request.">
        <RecentErrors />
      </Section>
      <Section title="Feature flags" hint="Only flags of FEATURE_FLAG_ALLOWLIST can be changed here.">
        <Flags />
      </Section>
    </Page>
  );
}

/** The parts of `GET /ready`, in words. One that is newer than this page has its name there. */
const PARTS: Readonly<Record<string, string>> = {
  database: 'PostgreSQL',
  migrations: 'Schema of the database',
  redis: 'Redis',
  queues: 'Queues',
  processes: 'Processes',
  worker: 'Worker process',
  edge: 'Edge process',
  storage: 'Disk',
  sandbox: 'Sandbox',
  app_network: 'Network of apps',
  image_builds: 'Builds of Dockerfiles',
};

function Parts({ parts }: Pick<OpsManifest, 'parts'>): ReactNode {
  return (
    <Table
      label="Parts of the service"
      rows={Object.entries(parts)}
      keyOf={([name]) => name}
      columns={[
        { title: 'Part', cell: ([name]) => PARTS[name] ?? name },
        {
          title: 'State',
          cell: ([, { status }]) => <State tone={status === 'up' ? 'good' : 'bad'}>{status}</State>,
        },
      ]}
    />
  );
}

function QueueStates({ queues }: { readonly queues: OpsManifest['queues'] | undefined }): ReactNode {
  if (queues === undefined) return <p className="text-muted">The queues cannot be read while Redis is unavailable.</p>;
  return (
    <Table
      label="Queues"
      rows={queues}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Queue', cell: ({ name }) => <code className="font-mono text-xs">{name}</code> },
        { title: 'Waiting', cell: ({ waiting }) => waiting },
        { title: 'Running', cell: ({ active }) => active },
        { title: 'Delayed', wideOnly: true, cell: ({ delayed }) => delayed },
        {
          title: 'Failed',
          cell: ({ failed }) => <span className={failed > 0 ? 'text-bad font-medium' : ''}>{failed}</span>,
        },
        {
          title: 'Longest wait',
          wideOnly: true,
          cell: ({ oldestWaitingSeconds, paused }) =>
            paused ? <State tone="warn">Paused</State> : `${oldestWaitingSeconds} s`,
        },
      ]}
    />
  );
}

function Schedules({ schedules }: OpsSchedules): ReactNode {
  return (
    <Table
      label="Schedules that one process at a time runs"
      rows={schedules}
      keyOf={({ name }) => name}
      columns={[
        {
          title: 'Schedule',
          cell: ({ name, summary }) => (
            <div className="max-w-52 sm:max-w-96">
              <code className="font-mono text-xs">{name}</code>
              <span className="text-muted block text-xs">{summary}</span>
            </div>
          ),
        },
        {
          title: 'Last success',
          cell: ({ lastSuccessAt, running }) =>
            running ? (
              <State tone="accent">Running</State>
            ) : lastSuccessAt === undefined ? (
              <span className="text-muted">None yet</span>
            ) : (
              <Ago at={lastSuccessAt} />
            ),
        },
        { title: 'Next', wideOnly: true, cell: ({ dueAt }) => dueAt !== undefined && <Ago at={dueAt} /> },
      ]}
    />
  );
}

function RecentErrors(): ReactNode {
  return (
    <Loaded query={useQuery(opsErrorsQuery)}>
      {({ requests, jobs }) =>
        requests.length + jobs.length === 0 ? (
          <Empty icon="check" title="No errors">
            Requests that failed in the last seven days, and jobs that failed in the last thirty, stand here.
          </Empty>
        ) : (
          <div className="grid gap-4">
            {requests.length > 0 && <FailedRequests requests={requests} />}
            {jobs.length > 0 && <FailedJobs jobs={jobs} />}
          </div>
        )
      }
    </Loaded>
  );
}

function FailedRequests({ requests }: Pick<OpsErrors, 'requests'>): ReactNode {
  return (
    <Table
      label="Requests that failed, the latest first"
      rows={requests}
      keyOf={({ requestId }) => requestId}
      columns={[
        {
          title: 'Request',
          cell: ({ method, route, requestId }) => (
            <div className="grid max-w-48 gap-1 sm:max-w-96">
              <code className="truncate font-mono text-xs" title={`${method} ${route}`}>
                {method} {route}
              </code>
              <span className="text-muted flex items-center gap-1 text-xs">
                <span className="truncate font-mono">{requestId}</span>
                <Copy text={requestId} label="Copy the id of the request" />
              </span>
            </div>
          ),
        },
        {
          title: 'Error',
          cell: ({ status, code, name }) => (
            <div className="grid gap-1">
              <span>
                {status} {code}
              </span>
              <span className="text-muted text-xs">{name}</span>
            </div>
          ),
        },
        { title: 'When', wideOnly: true, cell: ({ at }) => <Ago at={at} /> },
      ]}
    />
  );
}

function FailedJobs({ jobs }: Pick<OpsErrors, 'jobs'>): ReactNode {
  return (
    <Table
      label="Jobs that failed, the latest first"
      rows={jobs}
      keyOf={({ queue, id }) => `${queue} ${id}`}
      columns={[
        { title: 'Queue', cell: ({ queue }) => <code className="font-mono text-xs">{queue}</code> },
        {
          title: 'Last error',
          cell: ({ reason }) => <span className="line-clamp-2 max-w-96 break-words">{reason}</span>,
        },
        { title: 'Attempts', wideOnly: true, cell: ({ attempts }) => attempts },
        { title: 'When', wideOnly: true, cell: ({ failedAt }) => <Ago at={failedAt} /> },
        { title: 'Actions', actions: true, cell: ({ queue, id }) => <Retry queue={queue} id={id} /> },
      ]}
    />
  );
}

function Retry({ queue, id }: Pick<OpsErrors['jobs'][number], 'queue' | 'id'>): ReactNode {
  const retry = useMutation({
    mutationFn: () => api.ops.retryJob(queue, id),
    onError: noticeFailure,
    onSettled: refresh,
  });
  return (
    <Button
      look="quiet"
      busy={retry.isPending}
      onClick={() => {
        retry.mutate();
      }}
    >
      Retry
      <span className="sr-only">
        {' '}
        the job {id} of {queue}
      </span>
    </Button>
  );
}

const SEVERITIES = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;

function Tasks(): ReactNode {
  const tasks = useQuery(opsTasksQuery);
  const agent = useMe()?.user.username;
  const [resolving, setResolving] = useState<OpsTask>();
  const close = (): void => {
    setResolving(undefined);
  };
  const change = (made: Promise<unknown>): void => {
    made.then(refresh, noticeFailure);
  };
  return (
    <>
      <Loaded query={tasks}>
        {({ tasks: all }) =>
          all.length === 0 ? (
            <Empty icon="check" title="No tasks">
              Alerts become tasks here, each with its runbook.
            </Empty>
          ) : (
            <Table
              label="Tasks, the latest first"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Task',
                  cell: ({ title, severity, runbookTag, occurrences }) => (
                    <div className="grid max-w-40 gap-1 sm:max-w-80">
                      <span className="truncate font-medium" title={title}>
                        {title}
                      </span>
                      <span className="text-muted flex flex-wrap items-center gap-2 text-xs">
                        <State tone={SEVERITIES[severity]}>{severity}</State>
                        {runbookTag}, {occurrences}×
                      </span>
                    </div>
                  ),
                },
                {
                  title: 'State',
                  cell: ({ status, claimedBy }) => (
                    <span className="block max-w-32 truncate">
                      {claimedBy === undefined ? status : `${status} by ${claimedBy}`}
                    </span>
                  ),
                },
                {
                  title: 'Since',
                  wideOnly: true,
                  cell: ({ startsAt }) => <When at={startsAt} />,
                },
                {
                  title: 'Actions',
                  actions: true,
                  // A task is claimed in a name, which may arrive after the tasks.
                  cell: (task) =>
                    agent !== undefined && (
                      <TaskActions
                        task={task}
                        mine={task.claimedBy === agent}
                        onClaim={() => {
                          change(api.ops.claim(task.id, agent));
                        }}
                        onRelease={() => {
                          change(api.ops.release(task.id, agent));
                        }}
                        onResolve={() => {
                          setResolving(task);
                        }}
                      />
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Dialog open={resolving !== undefined} title="Resolve the task" onClose={close}>
        <Form
          label="Resolve the task"
          submit="Resolve"
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async ({ resolution = '' }) => {
            if (resolving !== undefined && agent !== undefined) await api.ops.resolve(resolving.id, agent, resolution);
            await refresh();
            close();
          }}
        >
          <p className="text-muted break-words">{resolving?.title}</p>
          <Field label="The cause, and the fix" name="resolution" required maxLength={4_000} autoFocus />
        </Form>
      </Dialog>
    </>
  );
}

interface TaskActionsProps {
  readonly task: OpsTask;
  readonly mine: boolean;
  readonly onClaim: () => void;
  readonly onRelease: () => void;
  readonly onResolve: () => void;
}

function TaskActions({ task, mine, onClaim, onRelease, onResolve }: TaskActionsProps): ReactNode {
  if (task.status === 'resolved' || (task.claimedBy !== undefined && !mine)) return null;
  const about = <span className="sr-only"> {task.title}</span>;
  return (
    <div className="flex flex-wrap justify-end gap-1">
      <Button look="quiet" onClick={mine ? onRelease : onClaim}>
        {mine ? 'Release' : 'Claim'}
        {about}
      </Button>
      <Button look="quiet" onClick={onResolve}>
        Resolve{about}
      </Button>
    </div>
  );
}

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['operator'] });

type Flag = FeatureFlags['flags'][number];

function Flags(): ReactNode {
  const flags = useQuery(flagsQuery);
  const [open, setOpen] = useState<Flag>();
  const close = (): void => {
    setOpen(undefined);
  };
  const verb = open?.enabled === true ? 'Turn off' : 'Turn on';
  return (
    <>
      <Loaded query={flags}>
        {({ flags: all }) => (
          <Table
            label="Flags and their values"
            rows={all}
            keyOf={({ name }) => name}
            columns={[
              {
                title: 'Flag',
                cell: ({ name, description }) => (
                  <div className="max-w-52 sm:max-w-96">
                    <code className="font-mono text-xs">{name}</code>
                    <span className="text-muted block text-xs">{description}</span>
                  </div>
                ),
              },
              {
                title: 'State',
                cell: ({ enabled }) => <State tone={enabled ? 'good' : 'quiet'}>{enabled ? 'On' : 'Off'}</State>,
              },
              {
                title: 'Actions',
                actions: true,
                cell: (flag) =>
                  flag.allowlisted &&
                  flag.source !== 'env' && (
                    <Button
                      look="quiet"
                      onClick={() => {
                        setOpen(flag);
                      }}
                    >
                      {flag.enabled ? 'Turn off' : 'Turn on'}
                      <span className="sr-only"> {flag.name}</span>
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Dialog open={open !== undefined} title={`${verb} ${open?.name ?? ''}?`} onClose={close}>
        <Form
          label="Change the flag"
          submit={verb}
          look={open?.enabled === true ? 'danger' : 'primary'}
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async ({ reason = '' }) => {
            if (open !== undefined) {
              const { name, enabled, version: expectedVersion } = open;
              await api.ops.setFeature({ name, enabled: !enabled, expectedVersion, reason });
            }
            await refresh();
            close();
          }}
        >
          <p className="text-muted">It takes effect in every process within a second.</p>
          <Field label="Reason" name="reason" required maxLength={500} autoFocus />
        </Form>
      </Dialog>
    </>
  );
}
