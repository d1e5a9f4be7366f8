import type { IssuedWebhookEndpoint, WebhookEndpoint } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { webhookQuery, webhooksQuery } from '../../data/webhooks';
import { pathTo } from '../../paths';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';
import { EndpointState } from '../../webhooks/endpoint-state';
import { type EventType, EventTypes } from '../../webhooks/event-types';
import { SecretDialog } from '../../webhooks/secret-dialog';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(webhooksQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const [, go] = useLocation();
  const endpoints = useInfiniteQuery(webhooksQuery(org));
  const mayWrite = useMay(org, 'orgs:write');
  const [isAdding, setIsAdding] = useState(false);
  const [made, setMade] = useState<IssuedWebhookEndpoint>();
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New endpoint
    </AddButton>
  );
  return (
    <Page title="Webhooks" actions={add}>
      <Loaded query={endpoints}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="webhooks" title="No endpoints yet" action={add}>
              Your server hears of deploys, runs and invoices as they happen, in signed messages.
            </Empty>
          ) : (
            <Endpoints org={org} rows={rowsOf(data)} more={<More query={endpoints} />} />
          )
        }
      </Loaded>
      <NewEndpointDialog
        org={org}
        open={isAdding}
        onClose={() => {
          setIsAdding(false);
        }}
        onMade={(endpoint) => {
          setIsAdding(false);
          setMade(endpoint);
        }}
      />
      <SecretDialog
        secret={made?.secret}
        onClose={() => {
          if (made !== undefined) go(pathTo('webhook', { org, endpoint: made.id }));
        }}
      />
    </Page>
  );
}

interface EndpointsProps {
  readonly org: string;
  readonly rows: readonly WebhookEndpoint[];
  readonly more: ReactNode;
}

function Endpoints({ org, rows, more }: EndpointsProps): ReactNode {
  return (
    <Table
      label="Endpoints"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Address',
          cell: ({ id, url, description }) => (
            <div className="max-w-48 sm:max-w-80">
              <ScreenLink
                to="webhook"
                params={{ org, endpoint: id }}
                className="block truncate font-medium hover:underline"
              >
                {url.replace(/^https?:\/\//, '')}
              </ScreenLink>
              {description !== '' && <span className="text-muted block truncate text-sm">{description}</span>}
            </div>
          ),
        },
        { title: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
        {
          title: 'Events',
          wideOnly: true,
          cell: ({ types }) => (
            <span className="text-muted" title={types.join(' ')}>
              {types.length === 0 ? 'All' : types.length === 1 ? types[0] : `${types.length} types`}
            </span>
          ),
        },
        {
          title: 'Created',
          wideOnly: true,
          cell: ({ created_at: at }) => <When at={at} />,
        },
      ]}
    />
  );
}

interface NewEndpointDialogProps {
  readonly org: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (endpoint: IssuedWebhookEndpoint) => void;
}

function NewEndpointDialog({ org, open, onClose, onMade }: NewEndpointDialogProps): ReactNode {
  const [types, setTypes] = useState<readonly EventType[]>([]);
  return (
    <Dialog open={open} title="New endpoint" onClose={onClose}>
      <Form
        label="New endpoint"
        submit="Create the endpoint"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ url = '', description = '' }) => {
          const { secret, ...endpoint } = await api.webhooks.create(org, { url, description, types });
          queries.setQueryData(webhookQuery(org, endpoint.id).queryKey, endpoint);
          void queries.invalidateQueries({ queryKey: webhooksQuery(org).queryKey, exact: true });
          onMade({ ...endpoint, secret });
        }}
      >
        <Field
          label="Address"
          name="url"
          type="url"
          required
          autoFocus
          placeholder="https://hooks.example.com/service"
          hint="Messages are sent here by POST."
        />
        <Field label="Description" name="description" maxLength={200} placeholder="Chat of the team" />
        <EventTypes chosen={types} onChange={setTypes} />
      </Form>
    </Dialog>
  );
}
