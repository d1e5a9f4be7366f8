import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { secretsQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

export function prepare({ org, agent }: AgentParams): void {
  queries.infiniteQuery(secretsQuery(org, agent)).catch(ignore);
}

export function Screen({ org, agent }: AgentParams): ReactNode {
  const mayWrite = useMay(org, 'agents:write');
  const [isSetting, setIsSetting] = useState<string>();
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setIsSetting('');
      }}
    >
      New secret
    </AddButton>
  );
  return (
    <AgentFrame org={org} agent={agent} open="agentSecrets" actions={add}>
      {() => (
        <>
          <Secrets org={org} agent={agent} add={add} {...(mayWrite && { onReplace: setIsSetting })} />
          <SecretForm
            org={org}
            agent={agent}
            name={isSetting}
            onClose={() => {
              setIsSetting(undefined);
            }}
          />
        </>
      )}
    </AgentFrame>
  );
}

interface SecretsProps extends AgentParams {
  readonly add: ReactNode;
  readonly onReplace?: (name: string) => void;
}

function Secrets({ org, agent, add, onReplace }: SecretsProps): ReactNode {
  const secrets = useInfiniteQuery(secretsQuery(org, agent));
  const [removed, setRemoved] = useState<string>();
  return (
    <Loaded query={secrets}>
      {(data) => (
        <>
          {rowsOf(data).length === 0 ? (
            <Empty icon="keys" title="No secrets yet" action={add}>
              Tools put a secret into a header where its settings say{' '}
              <code className="font-mono">{'{{secret:NAME}}'}</code>. No model sees it, and results are masked.
            </Empty>
          ) : (
            <Table
              label="Secrets"
              rows={rowsOf(data)}
              keyOf={({ name }) => name}
              more={<More query={secrets} />}
              columns={[
                { title: 'Name', cell: ({ name }) => <code className="font-mono text-sm font-medium">{name}</code> },
                {
                  title: 'Set',
                  cell: ({ updated_at: at }) => <When at={at} />,
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: ({ name }) =>
                    onReplace !== undefined && (
                      <span className="inline-flex">
                        <Button
                          look="quiet"
                          onClick={() => {
                            onReplace(name);
                          }}
                        >
                          Replace<span className="sr-only"> {name}</span>
                        </Button>
                        <Button
                          look="quiet"
                          onClick={() => {
                            setRemoved(name);
                          }}
                        >
                          Delete<span className="sr-only"> {name}</span>
                        </Button>
                      </span>
                    ),
                },
              ]}
            />
          )}
          <Confirm
            open={removed !== undefined}
            title={`Delete ${removed ?? ''}?`}
            action="Delete the secret"
            danger
            onClose={() => {
              setRemoved(undefined);
            }}
            onConfirm={async () => {
              if (removed !== undefined) await api.agents.secrets.delete(agent, removed, { organization: org });
              await queries.invalidateQueries({ queryKey: secretsQuery(org, agent).queryKey });
            }}
          >
            Calls of tools that need it fail from now on.
          </Confirm>
        </>
      )}
    </Loaded>
  );
}

interface SecretFormProps extends AgentParams {
  /** The name to replace, empty for a new one, or undefined if the form is closed. */
  readonly name: string | undefined;
  readonly onClose: () => void;
}

function SecretForm({ org, agent, name, onClose }: SecretFormProps): ReactNode {
  return (
    <Dialog open={name !== undefined} title={name ? `Replace ${name}` : 'New secret'} onClose={onClose}>
      <Form
        label="Secret"
        submit="Save the secret"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name: typed = '', value = '' }) => {
          await api.agents.secrets.set(agent, name || typed, { value }, { organization: org });
          await queries.invalidateQueries({ queryKey: secretsQuery(org, agent).queryKey });
          onClose();
        }}
      >
        {name === '' && (
          <Field
            label="Name"
            name="name"
            required
            autoFocus
            pattern="[A-Z][A-Z0-9_]{0,63}"
            placeholder="API_TOKEN"
            className="font-mono"
            hint="Capital letters, digits and underscores."
          />
        )}
        <Field label="Value" name="value" type="password" required hint="It is encrypted, and never shown again." />
      </Form>
    </Dialog>
  );
}
