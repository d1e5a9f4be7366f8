import type { Project, ProjectChange, ProjectSettings } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../../api';
import { useMay } from '../../../data/me';
import { settingsQuery } from '../../../data/project-settings';
import { projectQuery } from '../../../data/projects';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ErrorNote } from '../../../ui/error-note';
import { Choice, Field, Form } from '../../../ui/form';
import { Loaded } from '../../../ui/loaded';
import { Section } from '../../../ui/page';
import { State } from '../../../ui/state';
import type { ProjectParams } from '../project-frame';
import { FRAMEWORKS } from './frameworks';
import { SettingsFrame } from './settings-frame';

type SettingId = keyof ProjectSettings['settings'];
type Source = ProjectSettings['settings'][SettingId]['source'];
type Option = readonly [value: string, name: string];

interface Setting {
  readonly id: SettingId;
  readonly title: string;
  /** What it does, and what an empty field would not say. */
  readonly hint: string;
  /** The values to choose from, where there are few. */
  readonly options?: readonly Option[];
  readonly number?: { readonly min: number; readonly step: number };
}

const BUILD: readonly Setting[] = [
  {
    id: 'framework',
    title: 'Framework',
    hint: 'Decides the commands and the output, where you set none.',
    options: Object.entries(FRAMEWORKS),
  },
  { id: 'root_directory', title: 'Root directory', hint: 'Where the project is in its repository, such as apps/web.' },
  { id: 'install_command', title: 'Install command', hint: 'Installs the packages, such as npm ci.' },
  { id: 'build_command', title: 'Build command', hint: 'Builds the project, such as npm run build.' },
  { id: 'output_directory', title: 'Output directory', hint: 'What is served, below the root directory.' },
  {
    id: 'node_version',
    title: 'Node.js version',
    hint: 'Of builds and servers.',
    options: [
      ['20', '20'],
      ['22', '22'],
      ['24', '24'],
    ],
  },
  {
    id: 'build_network',
    title: 'Network of builds',
    hint: 'Every address needs a plan that includes it.',
    options: [
      ['registries', 'Package registries'],
      ['open', 'Every public address'],
    ],
  },
];

const RUN: readonly Setting[] = [
  { id: 'start_command', title: 'Start command', hint: 'Starts the server, which listens on PORT.' },
  {
    id: 'health_path',
    title: 'Health path',
    hint: 'Has to answer below 500 before a deploy goes live, such as /healthz.',
  },
  {
    id: 'start_timeout_ms',
    title: 'Start timeout',
    hint: 'How long the server may take to start, in milliseconds.',
    number: { min: 1_000, step: 500 },
  },
];

const SOURCES: Readonly<Record<Source, readonly [word: string, tone: 'accent' | 'good' | 'quiet']>> = {
  set: ['Set here', 'accent'],
  file: ['From a file', 'good'],
  detected: ['Detected', 'quiet'],
  default: ['Default', 'quiet'],
  unknown: ['After a build', 'quiet'],
};

export function prepare({ project }: ProjectParams): void {
  queries.query(settingsQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const settings = useQuery(settingsQuery(project));
  const [open, setOpen] = useState<Setting>();
  const mayChange = useMay(org, 'projects:write');
  const save = useMutation({
    mutationFn: (change: ProjectChange) => api.projects.update(project, change),
    onSuccess: async (news: Project) => {
      queries.setQueryData(projectQuery(project).queryKey, news);
      await queries.invalidateQueries({ queryKey: settingsQuery(project).queryKey });
    },
  });
  const rows = (data: ProjectSettings, some: readonly Setting[]): ReactNode => (
    <ul className="card divide-line divide-y">
      {some.map((setting) => (
        <Row
          key={setting.id}
          setting={setting}
          shown={data.settings[setting.id]}
          mayChange={mayChange}
          busy={save.isPending && setting.id in save.variables}
          onChange={() => {
            setOpen(setting);
          }}
          onReset={() => {
            save.mutate({ [setting.id]: null });
          }}
        />
      ))}
    </ul>
  );
  return (
    <SettingsFrame org={org} project={project} open="projectBuild">
      <Loaded query={settings}>
        {(data) => (
          <>
            {save.isError && open === undefined && (
              <div className="mb-4">
                <ErrorNote error={save.error} />
              </div>
            )}
            <Section title="Build" hint="Changes count from the next deploy on.">
              {rows(data, BUILD)}
            </Section>
            <Section title="Run">{rows(data, RUN)}</Section>
            <ChangeDialog
              setting={open}
              value={open === undefined ? null : data.settings[open.id].value}
              onClose={() => {
                setOpen(undefined);
              }}
              onSave={save.mutateAsync}
            />
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

interface RowProps {
  readonly setting: Setting;
  readonly shown: ProjectSettings['settings'][SettingId];
  readonly mayChange: boolean;
  readonly busy: boolean;
  readonly onChange: () => void;
  readonly onReset: () => void;
}

function Row({ setting, shown, mayChange, busy, onChange, onReset }: RowProps): ReactNode {
  const [word, tone] = SOURCES[shown.source];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5" aria-label={setting.title}>
      <span className="w-36 font-medium">{setting.title}</span>
      <span className="min-w-0 flex-1 basis-40 font-mono text-sm break-words">{valueName(setting, shown.value)}</span>
      <State tone={tone}>{word}</State>
      {mayChange && (
        <span className="flex gap-1 sm:w-36 sm:justify-end">
          {shown.source === 'set' && (
            <Button look="quiet" busy={busy} onClick={onReset}>
              Reset<span className="sr-only"> {setting.title}</span>
            </Button>
          )}
          <Button look="quiet" onClick={onChange}>
            Change<span className="sr-only"> {setting.title}</span>
          </Button>
        </span>
      )}
    </li>
  );
}

function valueName({ options, id }: Setting, value: string | number | null): ReactNode {
  if (value === null) return <span className="text-muted font-sans">None</span>;
  if (id === 'start_timeout_ms') return `${value.toLocaleString('en')} ms`;
  return options?.find(([each]) => each === value)?.[1] ?? value;
}

interface ChangeDialogProps {
  readonly setting: Setting | undefined;
  readonly value: string | number | null;
  readonly onClose: () => void;
  readonly onSave: (change: ProjectChange) => Promise<unknown>;
}

function ChangeDialog({ setting, value, onClose, onSave }: ChangeDialogProps): ReactNode {
  const { id, title = '', hint, options, number } = setting ?? {};
  const field = { label: title, name: id ?? '', hint, defaultValue: value ?? '', autoFocus: true };
  return (
    <Dialog open={setting !== undefined} title={`Change: ${title}`} onClose={onClose}>
      <Form
        label={title}
        submit="Save"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          const typed = values[id!] ?? '';
          await onSave({ [id!]: number === undefined ? typed : Number(typed) });
          onClose();
        }}
      >
        {options === undefined ? (
          <Field
            {...field}
            required
            {...(number !== undefined && { type: 'number', ...number })}
            className="font-mono"
          />
        ) : (
          <Choice {...field}>
            {options.map(([each, name]) => (
              <option key={each} value={each}>
                {name}
              </option>
            ))}
          </Choice>
        )}
      </Form>
    </Dialog>
  );
}
