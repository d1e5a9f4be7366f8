import type { WebhookDelivery, WebhookEndpoint } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { deliveriesQuery, webhookQuery, webhooksQuery } from '../../data/webhooks';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Copy } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { Menu } from '../../ui/menu';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { Table } from '../../ui/table';
import { Ago, When } from '../../ui/time';
import { DeliveryDialog, DeliveryState } from '../../webhooks/delivery';
import { EndpointState } from '../../webhooks/endpoint-state';
import { SecretDialog } from '../../webhooks/secret-dialog';

interface Params {
  readonly org: string;
  readonly endpoint: string;
}

export function prepare({ org, endpoint }: Params): void {
  queries.query(webhookQuery(org, endpoint)).catch(ignore);
  queries.infiniteQuery(deliveriesQuery(org, endpoint)).catch(ignore);
}

export function Screen({ org, endpoint: id }: Params): ReactNode {
  const endpoint = useQuery(webhookQuery(org, id));
  const { data } = endpoint;
  return (
    <Page
      title={data === undefined ? 'Endpoint' : hostOf(data.url)}
      above={[['Webhooks', pathTo('webhooks', { org })]]}
      state={data !== undefined && <EndpointState endpoint={data} />}
      actions={data !== undefined && <Actions org={org} endpoint={data} />}
    >
      <Loaded query={endpoint}>
        {(found) => (
          <>
            <Facts endpoint={found} />
            <Deliveries org={org} endpoint={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function refresh(org: string): void {
  void queries.invalidateQueries({ queryKey: webhooksQuery(org).queryKey });
}

interface EndpointProps {
  readonly org: string;
  readonly endpoint: WebhookEndpoint;
}

function Actions({ org, endpoint }: EndpointProps): ReactNode {
  const { id, state, url } = endpoint;
  const [, go] = useLocation();
  const mayWrite = useMay(org, 'orgs:write');
  const [asked, setAsked] = useState<'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const isActive = state === 'active';
  const pause = useMutation({
    mutationFn: () => api.webhooks.update(org, id, { state: isActive ? 'paused' : 'active' }),
    onSuccess: (changed) => {
      queries.setQueryData(webhookQuery(org, id).queryKey, changed);
      refresh(org);
    },
  });
  const test = useMutation({
    mutationFn: () => api.webhooks.test(org, id),
    onSuccess: () => {
      refresh(org);
    },
  });
  const close = (): void => {
    setAsked(undefined);
  };
  if (!mayWrite) return null;
  const error = pause.error ?? test.error;
  return (
    <>
      {isActive && (
        <Button
          busy={test.isPending}
          onClick={() => {
            test.mutate();
          }}
        >
          Send a test
        </Button>
      )}
      <Button
        look={isActive ? 'plain' : 'primary'}
        busy={pause.isPending}
        onClick={() => {
          pause.mutate();
        }}
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Menu
        label="More actions"
        button={<Icon name="more" />}
        buttonClass="border-line bg-surface hover:bg-sunken grid h-8 w-8 place-items-center rounded-md border"
        items={[
          {
            name: 'Rotate the secret',
            onChoose: () => {
              setAsked('rotate');
            },
          },
          {
            name: 'Delete',
            danger: true,
            onChoose: () => {
              setAsked('delete');
            },
          },
        ]}
      />
      <Confirm
        open={asked === 'rotate'}
        title="Rotate the secret?"
        action="Rotate the secret"
        onClose={close}
        onConfirm={async () => {
          const { secret: made } = await api.webhooks.rotateSecret(org, id);
          refresh(org);
          setSecret(made);
        }}
      >
        For a day, messages are signed with the old secret as well, so that your server can change.
      </Confirm>
      <Confirm
        open={asked === 'delete'}
        title="Delete this endpoint?"
        action="Delete the endpoint"
        danger
        onClose={close}
        onConfirm={async () => {
          await api.webhooks.delete(org, id);
          await queries.invalidateQueries({ queryKey: webhooksQuery(org).queryKey, exact: true });
          go(pathTo('webhooks', { org }));
        }}
      >
        Nothing more is sent to <b className="text-ink break-all">{url}</b>, and the log of its messages is gone.
      </Confirm>
      <SecretDialog
        secret={secret}
        onClose={() => {
          setSecret(undefined);
        }}
      />
      {error !== null && (
        <div className="w-full">
          <ErrorNote error={error} />
        </div>
      )}
    </>
  );
}

function Facts({ endpoint }: Pick<EndpointProps, 'endpoint'>): ReactNode {
  const { url, description, types, failing_since: failing, created_at: at } = endpoint;
  return (
    <dl className="card mb-8 grid gap-x-6 gap-y-3 p-4 sm:grid-cols-2">
      <Fact name="Address">
        <span className="truncate font-mono text-xs">{url}</span>
        <Copy text={url} label="Copy the address" />
      </Fact>
      <Fact name={failing === undefined ? 'Created' : 'Failing since'}>
        <Ago at={failing ?? at} />
      </Fact>
      <Fact name="Events">
        <span className="font-mono text-xs break-words">{types.length === 0 ? 'All' : types.join(', ')}</span>
      </Fact>
      {description !== '' && <Fact name="Description">{description}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="mt-0.5 flex min-h-6 min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}

function Deliveries({ org, endpoint }: EndpointProps): ReactNode {
  const deliveries = useInfiniteQuery(deliveriesQuery(org, endpoint.id));
  const [open, setOpen] = useState<WebhookDelivery>();
  return (
    <Section title="Messages" hint="Of the last 7 days, newest first.">
      <Loaded query={deliveries}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">Nothing was sent yet.</p>
          ) : (
            <Table
              label="Messages of the endpoint"
              rows={rowsOf(data)}
              keyOf={({ id }) => id}
              more={<More query={deliveries} />}
              columns={[
                { title: 'State', cell: (delivery) => <DeliveryState delivery={delivery} /> },
                {
                  title: 'Event',
                  cell: ({ type }) => (
                    <span className="block max-w-28 truncate font-mono text-xs sm:max-w-64">{type}</span>
                  ),
                },
                {
                  title: 'Attempts',
                  wideOnly: true,
                  cell: ({ attempts }) => attempts,
                },
                {
                  title: 'When',
                  wideOnly: true,
                  cell: ({ created_at: at }) => <When at={at} />,
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (delivery) => (
                    <Button
                      look="quiet"
                      onClick={() => {
                        setOpen(delivery);
                      }}
                    >
                      Details<span className="sr-only"> of {delivery.event_id}</span>
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <DeliveryDialog
        // What the list has learned meanwhile is shown.
        delivery={rowsOf(deliveries.data).find(({ id }) => id === open?.id) ?? open}
        canReplay={endpoint.state === 'active'}
        onReplay={async (id) => {
          await api.webhooks.replay(org, endpoint.id, id);
          refresh(org);
        }}
        onClose={() => {
          setOpen(undefined);
        }}
      />
    </Section>
  );
}
