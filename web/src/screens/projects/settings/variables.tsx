import type { EnvTarget, EnvVariable } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, ignore, queries } from '../../../api';
import { readEnvFile } from '../../../data/env-file';
import { useMay } from '../../../data/me';
import { variablesQuery } from '../../../data/project-settings';
import { AddButton } from '../../../ui/add-button';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/confirm';
import { Dialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { Field, Form } from '../../../ui/form';
import { Icon } from '../../../ui/icons';
import { Loaded } from '../../../ui/loaded';
import { Section } from '../../../ui/page';
import { State } from '../../../ui/state';
import { Table } from '../../../ui/table';
import { When } from '../../../ui/time';
import type { ProjectParams } from '../project-frame';
import { SettingsFrame } from './settings-frame';

const TARGETS: readonly (readonly [EnvTarget, string])[] = [
  ['production', 'Production: the production branch'],
  ['preview', 'Preview: all other branches'],
  ['development', 'Development: your own machine'],
];

type Open = 'new' | 'file' | { readonly edit: EnvVariable } | { readonly remove: EnvVariable };

export function prepare({ project }: ProjectParams): void {
  queries.query(variablesQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const variables = useQuery(variablesQuery(project));
  const mayChange = useMay(org, 'projects:write');
  const [open, setOpen] = useState<Open>();
  const close = (): void => {
    setOpen(undefined);
  };
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: variablesQuery(project).queryKey });
  const edited = typeof open === 'object' && 'edit' in open ? open.edit : undefined;
  const removed = typeof open === 'object' && 'remove' in open ? open.remove : undefined;
  const add = mayChange && (
    <div className="mb-4 flex flex-wrap gap-2">
      <AddButton
        onClick={() => {
          setOpen('new');
        }}
      >
        Add a variable
      </AddButton>
      <Button
        onClick={() => {
          setOpen('file');
        }}
      >
        Paste a .env file
      </Button>
    </div>
  );
  return (
    <SettingsFrame org={org} project={project} open="projectVariables">
      <Section
        title="Environment variables"
        hint="Builds and servers have them. Changes count from the next deploy on."
      >
        {add}
        <Loaded query={variables}>
          {(found) =>
            found.length === 0 ? (
              <Empty icon="settings" title="No variables yet">
                Addresses of databases, keys of other services and switches belong here, not into the repository.
              </Empty>
            ) : (
              <Variables
                variables={found}
                mayChange={mayChange}
                onEdit={(edit) => {
                  setOpen({ edit });
                }}
                onRemove={(remove) => {
                  setOpen({ remove });
                }}
              />
            )
          }
        </Loaded>
      </Section>
      <Dialog
        open={open === 'new' || edited !== undefined}
        title={edited === undefined ? 'Add a variable' : `Change ${edited.name}`}
        onClose={close}
      >
        <VariableForm project={project} variable={edited} onDone={refresh} onClose={close} />
      </Dialog>
      <Dialog open={open === 'file'} title="Paste a .env file" onClose={close} wide>
        <FileForm project={project} onDone={refresh} onClose={close} />
      </Dialog>
      <Confirm
        open={removed !== undefined}
        title={`Remove ${removed?.name ?? ''}?`}
        action="Remove the variable"
        danger
        onClose={close}
        onConfirm={async () => {
          if (removed !== undefined) await unset(project, removed.name, removed.targets);
          await refresh();
        }}
      >
        The next deploys for {removed?.targets.join(', ')} do not have it.
      </Confirm>
    </SettingsFrame>
  );
}

async function unset(project: string, name: string, targets: readonly EnvTarget[]): Promise<void> {
  for (const target of targets) await api.projects.unsetEnv(project, name, target);
}

interface VariablesProps {
  readonly variables: readonly EnvVariable[];
  readonly mayChange: boolean;
  readonly onEdit: (variable: EnvVariable) => void;
  readonly onRemove: (variable: EnvVariable) => void;
}

function Variables({ variables, mayChange, onEdit, onRemove }: VariablesProps): ReactNode {
  return (
    <Table
      label="Variables"
      rows={variables}
      keyOf={({ name, targets }) => `${name} ${targets.join(' ')}`}
      columns={[
        {
          title: 'Name',
          cell: ({ name, targets }) => (
            <div className="max-w-40 sm:max-w-60">
              <code className="block truncate font-mono text-sm font-medium" title={name}>
                {name}
              </code>
              <span className="text-muted text-xs">{targets.join(', ')}</span>
            </div>
          ),
        },
        {
          title: 'Value',
          cell: ({ secret, value }) =>
            secret ? (
              <State tone="quiet">Secret</State>
            ) : (
              <code className="block max-w-24 truncate font-mono text-sm sm:max-w-56" title={value}>
                {value}
              </code>
            ),
        },
        {
          title: 'Changed',
          wideOnly: true,
          cell: ({ updated_at: at }) => <When at={at} />,
        },
        {
          title: 'Actions',
          actions: true,
          cell: (variable) =>
            mayChange && (
              <span className="inline-flex">
                <Button
                  look="quiet"
                  onClick={() => {
                    onEdit(variable);
                  }}
                >
                  Change<span className="sr-only"> {variable.name}</span>
                </Button>
                <Button
                  look="quiet"
                  aria-label={`Remove ${variable.name}`}
                  className="!px-2"
                  onClick={() => {
                    onRemove(variable);
                  }}
                >
                  <Icon name="close" size={14} />
                </Button>
              </span>
            ),
        },
      ]}
    />
  );
}

interface FormProps {
  readonly project: string;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

/** A secret that is changed begins empty: nothing can read it. */
function VariableForm({
  project,
  variable,
  onDone,
  onClose,
}: FormProps & { readonly variable: EnvVariable | undefined }): ReactNode {
  const [secret, setSecret] = useState(variable?.secret ?? true);
  return (
    <Form
      label="Variable"
      submit="Save"
      aside={<Button onClick={onClose}>Cancel</Button>}
      onSubmit={async (values) => {
        const name = variable?.name ?? values['variables[0].name'] ?? '';
        const targets = targetsIn(values);
        await api.projects.setEnv(project, [{ name, value: values['variables[0].value'] ?? '', secret, targets }]);
        await unset(project, name, variable?.targets.filter((target) => !targets.includes(target)) ?? []);
        await onDone();
        onClose();
      }}
    >
      {variable === undefined && (
        <Field
          label="Name"
          name="variables[0].name"
          required
          autoFocus
          className="font-mono"
          placeholder="DATABASE_URL"
        />
      )}
      <LongField
        label="Value"
        name="variables[0].value"
        defaultValue={variable?.value ?? ''}
        hint={variable?.secret === true ? 'The value until now is secret, and is replaced.' : undefined}
      />
      <Targets chosen={variable?.targets ?? ['production', 'preview', 'development']} />
      <SecretBox checked={secret} onChange={setSecret} />
    </Form>
  );
}

function FileForm({ project, onDone, onClose }: FormProps): ReactNode {
  const [text, setText] = useState('');
  const [secret, setSecret] = useState(true);
  const { variables, faults } = readEnvFile(text);
  return (
    <Form
      label="A .env file"
      submit={`Set ${variables.length === 1 ? 'one variable' : `${variables.length} variables`}`}
      aside={<Button onClick={onClose}>Cancel</Button>}
      onSubmit={async (values) => {
        if (variables.length === 0) throw new Error('There is no line such as NAME=value.');
        const targets = targetsIn(values);
        await api.projects.setEnv(
          project,
          variables.map((each) => ({ ...each, secret, targets })),
        );
        await onDone();
        onClose();
      }}
    >
      <LongField
        label="Content of the file"
        name="file"
        rows={8}
        value={text}
        onChange={setText}
        placeholder={'DATABASE_URL=postgres://…\n# Comments are left out.'}
        hint={faults.length === 0 ? undefined : `Not read: line ${faults.slice(0, 10).join(', ')}.`}
      />
      <Targets chosen={['production', 'preview', 'development']} />
      <SecretBox checked={secret} onChange={setSecret} />
    </Form>
  );
}

interface LongFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onChange?: (text: string) => void;
}

function LongField({ label, hint, rows = 3, onChange, ...field }: LongFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="input font-mono text-sm"
        {...(onChange !== undefined && {
          onChange: (event) => {
            onChange(event.target.value);
          },
        })}
        {...field}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
    </div>
  );
}

function Targets({ chosen }: { readonly chosen: readonly EnvTarget[] }): ReactNode {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Deploys that have it</legend>
      {TARGETS.map(([target, name]) => (
        <label key={target} className="flex min-h-6 items-center gap-2">
          <input type="checkbox" name={`target ${target}`} defaultChecked={chosen.includes(target)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function targetsIn(values: Readonly<Record<string, string>>): EnvTarget[] {
  const targets = TARGETS.flatMap(([target]) => (`target ${target}` in values ? [target] : []));
  if (targets.length === 0) throw new Error('Choose at least one kind of deploys.');
  return targets;
}

interface SecretBoxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function SecretBox({ checked, onChange }: SecretBoxProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      Secret: the value is never shown again
    </label>
  );
}
