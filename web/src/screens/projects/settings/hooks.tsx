import type { DeployHook, IssuedDeployHook } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../../api';
import { useMay } from '../../../data/me';
import { hooksQuery } from '../../../data/project-settings';
import { projectQuery } from '../../../data/projects';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/confirm';
import { CopyLine } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { Field, Form } from '../../../ui/form';
import { Icon } from '../../../ui/icons';
import { Loaded } from '../../../ui/loaded';
import { Section } from '../../../ui/page';
import { Table } from '../../../ui/table';
import { Ago } from '../../../ui/time';
import type { ProjectParams } from '../project-frame';
import { SettingsFrame } from './settings-frame';

export function prepare({ project }: ProjectParams): void {
  queries.query(hooksQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const hooks = useQuery(hooksQuery(project));
  const mayChange = useMay(org, 'deploys:write');
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<DeployHook>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: hooksQuery(project).queryKey });
  return (
    <SettingsFrame org={org} project={project} open="projectHooks">
      <Section title="Deploy hooks" hint="A secret address that deploys a branch when it is called with POST.">
        {mayChange && (
          <Button
            look="primary"
            className="mb-4"
            onClick={() => {
              setAdding(true);
            }}
          >
            <Icon name="plus" size={14} />
            New hook
          </Button>
        )}
        <Loaded query={hooks}>
          {(found) =>
            found.length === 0 ? (
              <Empty icon="deploys" title="No hooks yet">
                A content management system, a form or a timer can deploy with a hook, without a key.
              </Empty>
            ) : (
              <Table
                label="List of hooks"
                rows={found}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Name',
                    cell: ({ name, branch, production }) => (
                      <div className="max-w-48 sm:max-w-80">
                        <span className="block truncate font-medium">{name}</span>
                        <span className="text-muted block truncate text-xs">
                          <span className="font-mono">{branch}</span>,{' '}
                          {production ? 'may go to production' : 'previews'}
                        </span>
                      </div>
                    ),
                  },
                  {
                    title: 'Last called',
                    cell: ({ last_used_at: at }) => (
                      <span className="text-muted whitespace-nowrap">
                        {at === undefined ? 'Never' : <Ago at={at} />}
                      </span>
                    ),
                  },
                  {
                    title: 'Actions',
                    actions: true,
                    cell: (hook) =>
                      mayChange && (
                        <Button
                          look="quiet"
                          onClick={() => {
                            setRemoved(hook);
                          }}
                        >
                          Remove<span className="sr-only"> {hook.name}</span>
                        </Button>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
      <NewHookDialog
        project={project}
        open={adding}
        refresh={refresh}
        onClose={() => {
          setAdding(false);
        }}
      />
      <Confirm
        open={removed !== undefined}
        title={`Remove ${removed?.name ?? ''}?`}
        action="Remove the hook"
        danger
        onClose={() => {
          setRemoved(undefined);
        }}
        onConfirm={async () => {
          if (removed !== undefined) await api.projects.deleteHook(project, removed.id);
          await refresh();
        }}
      >
        Its address stops working at once.
      </Confirm>
    </SettingsFrame>
  );
}

interface NewHookDialogProps {
  readonly project: string;
  readonly open: boolean;
  readonly refresh: () => Promise<void>;
  readonly onClose: () => void;
}

/** The address is shown once, and gone with the dialog. */
function NewHookDialog({ project, open, refresh, onClose }: NewHookDialogProps): ReactNode {
  const owner = useQuery(projectQuery(project));
  const [made, setMade] = useState<IssuedDeployHook>();
  const close = (): void => {
    setMade(undefined);
    onClose();
  };
  if (made !== undefined)
    return (
      <Dialog open={open} title="Your new hook" onClose={close} wide>
        <p className="mb-3">
          Copy its address now: it is not shown again. People who have it can deploy {made.branch}.
        </p>
        <CopyLine text={made.url} label="The address of the hook" />
        <div className="mt-5 flex justify-end">
          <Button look="primary" onClick={close}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog open={open} title="New hook" onClose={close}>
      <Form
        label="New hook"
        submit="Create the hook"
        aside={<Button onClick={close}>Cancel</Button>}
        onSubmit={async ({ name = '', branch = '' }) => {
          setMade(await api.projects.createHook(project, { name, branch }));
          await refresh();
        }}
      >
        <Field label="Name" name="name" required maxLength={100} autoFocus placeholder="Content changed" />
        <Field
          label="Branch"
          name="branch"
          required
          defaultValue={owner.data?.production_branch}
          className="font-mono"
        />
      </Form>
    </Dialog>
  );
}
