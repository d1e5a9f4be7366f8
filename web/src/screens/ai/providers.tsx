import type { ModelProvider } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { NoModels } from '../../ai/no-models';
import { providersQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { NotForRole } from '../../ui/not-for-role';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(providersQuery(org)).catch(ignore);
}

/** Who runs the models, and the keys with which the organization pays them itself. */
export function Screen({ org }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  return (
    <AiFrame org={org} open="aiProviders">
      {mayRead ? <Providers org={org} /> : <NotForRole />}
    </AiFrame>
  );
}

function Providers({ org }: Params): ReactNode {
  const providers = useQuery(providersQuery(org));
  const mayWrite = useMay(org, 'billing:write');
  const [changed, setChanged] = useState<ModelProvider>();
  const [removed, setRemoved] = useState<ModelProvider>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: providersQuery(org).queryKey });
  return (
    <Loaded query={providers}>
      {(rows) =>
        rows.length === 0 ? (
          <NoModels />
        ) : (
          <>
            <p className="text-muted mb-4 max-w-2xl">
              With a key of your own account, the models of a provider are paid there: they take no credits, and budgets
              count them at their list price.
            </p>
            <ul aria-label="Providers" className="card divide-line divide-y">
              {rows.map((provider) => (
                <li key={provider.id} className="grid gap-3 p-4 sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-6">
                  <Row provider={provider} />
                  {mayWrite && provider.takes_own_keys && (
                    <div className="flex items-center gap-1 max-sm:-ml-3">
                      <Button
                        look="quiet"
                        onClick={() => {
                          setChanged(provider);
                        }}
                      >
                        {provider.key === undefined ? 'Set a key' : 'Replace'}
                        <span className="sr-only"> for {nameOf(provider)}</span>
                      </Button>
                      {provider.key !== undefined && (
                        <Button
                          look="quiet"
                          onClick={() => {
                            setRemoved(provider);
                          }}
                        >
                          Remove<span className="sr-only"> the key for {nameOf(provider)}</span>
                        </Button>
                      )}
                    </div>
                  )}
                </li>
              ))}
            </ul>
            <KeyDialog
              org={org}
              provider={changed}
              onClose={() => {
                setChanged(undefined);
              }}
              onSet={refresh}
            />
            <Confirm
              open={removed !== undefined}
              title={`Remove the key for ${removed === undefined ? '' : nameOf(removed)}?`}
              action="Remove the key"
              danger
              onClose={() => {
                setRemoved(undefined);
              }}
              onConfirm={async () => {
                if (removed !== undefined) await api.ai.providers.removeKey(removed.id, { organization: org });
                await refresh();
              }}
            >
              Credits pay for its models again, from the next call on.
            </Confirm>
          </>
        )
      }
    </Loaded>
  );
}

const KINDS: Readonly<Record<ModelProvider['type'], string>> = {
  openai: 'OpenAI-compatible server',
  openrouter: 'OpenRouter',
  anthropic: 'Anthropic',
};

/** Operators name the others themselves. */
const nameOf = ({ id, type }: ModelProvider): string => (id === type ? KINDS[type] : id);

function Row({ provider }: { readonly provider: ModelProvider }): ReactNode {
  const { key, takes_own_keys: takesOwnKeys } = provider;
  return (
    <div className="grid min-w-0 gap-1">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <b className="truncate font-medium">{nameOf(provider)}</b>
        {nameOf(provider) !== KINDS[provider.type] && (
          <span className="text-muted text-sm">{KINDS[provider.type]}</span>
        )}
      </p>
      <p className="text-muted text-sm">
        {key === undefined ? (
          takesOwnKeys ? (
            'Paid with credits'
          ) : (
            'Run by this service, and paid with credits'
          )
        ) : (
          <>
            Paid by your account, with the key that ends in <code className="font-mono">{key.last4}</code>, set{' '}
            <Ago at={key.set_at} />
          </>
        )}
      </p>
    </div>
  );
}

interface KeyDialogProps {
  readonly org: string;
  /** Undefined while the dialog is closed. */
  readonly provider: ModelProvider | undefined;
  readonly onClose: () => void;
  readonly onSet: () => Promise<void>;
}

function KeyDialog({ org, provider, onClose, onSet }: KeyDialogProps): ReactNode {
  const title = provider === undefined ? 'Key' : `Key for ${nameOf(provider)}`;
  return (
    <Dialog open={provider !== undefined} title={title} onClose={onClose}>
      <Form
        label={title}
        submit="Set the key"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ api_key: apiKey = '' }) => {
          if (provider !== undefined) await api.ai.providers.setKey(provider.id, apiKey.trim(), { organization: org });
          await onSet();
          onClose();
        }}
      >
        <Field
          label="Key of the provider"
          name="api_key"
          type="password"
          required
          autoFocus
          hint="It is stored encrypted, and never shown again. If the provider refuses it, calls fail and do not move to credits."
        />
      </Form>
    </Dialog>
  );
}
