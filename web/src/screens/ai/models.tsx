import type { Model } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { isForChat, priceOf, sizeOf } from '../../ai/amounts';
import { NoModels } from '../../ai/no-models';
import { modelsQuery } from '../../data/ai';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';

interface Params {
  readonly org: string;
}

const FIRST = 50;
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

const ORDERS = {
  name: { title: 'Name', compare: (a: Model, b: Model) => a.id.localeCompare(b.id) },
  price: {
    title: 'Price of input',
    compare: (a: Model, b: Model) => Number(a.pricing.input) - Number(b.pricing.input),
  },
  context: {
    title: 'Largest context',
    compare: (a: Model, b: Model) => (b.context_length ?? 0) - (a.context_length ?? 0),
  },
} as const;

type Order = keyof typeof ORDERS;

export function prepare(): void {
  queries.query(modelsQuery).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const models = useQuery(modelsQuery);
  return (
    <AiFrame org={org} open="aiModels">
      <Loaded query={models}>
        {(data) => (data.length === 0 ? <NoModels /> : <Models org={org} models={data} />)}
      </Loaded>
    </AiFrame>
  );
}

/** What is looked for and the order are in the address. */
function Models({ org, models }: { readonly org: string; readonly models: readonly Model[] }): ReactNode {
  const [search, setSearch] = useSearchParams();
  const [isWhole, setIsWhole] = useState(false);
  const wanted = search.get('q') ?? '';
  const order = orderIn(search.get('order'));
  const found = models.filter((model) => isMatch(model, wanted)).toSorted(ORDERS[order].compare);
  const show = (q: string, by: Order): void => {
    setSearch({ ...(q === '' ? {} : { q }), ...(by === 'name' ? {} : { order: by }) }, { replace: true });
  };
  return (
    <>
      <p className="text-muted mb-4 max-w-2xl">
        Any OpenAI client calls them with an API key of this service, and tokens are paid with credits. A model without
        a price is not offered.
      </p>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <input
          type="search"
          data-search
          aria-label="Find a model"
          placeholder="Find by name, or by what it takes"
          className="input sm:max-w-xs"
          defaultValue={wanted}
          onChange={({ target }) => {
            show(target.value, order);
          }}
        />
        <select
          aria-label="Order"
          className="input w-auto"
          value={order}
          onChange={({ target }) => {
            show(wanted, orderIn(target.value));
          }}
        >
          {Object.entries(ORDERS).map(([id, { title }]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <span role="status" className="text-muted ml-auto text-sm tabular-nums">
          {found.length === models.length ? '' : `${found.length} of `}
          {models.length === 1 ? '1 model' : `${models.length} models`}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty icon="search" title="No model matches">
          Look for a part of its name, such as its maker, or for <i>image</i> or <i>embeddings</i>.
        </Empty>
      ) : (
        <Rows
          org={org}
          rows={isWhole ? found : found.slice(0, FIRST)}
          more={
            !isWhole &&
            found.length > FIRST && (
              <div className="grid justify-items-center p-3">
                <Button
                  onClick={() => {
                    setIsWhole(true);
                  }}
                >
                  Show all {found.length}
                </Button>
              </div>
            )
          }
        />
      )}
    </>
  );
}

interface RowsProps {
  readonly org: string;
  readonly rows: readonly Model[];
  readonly more: ReactNode;
}

function Rows({ org, rows, more }: RowsProps): ReactNode {
  return (
    <Table
      label="Models"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Model',
          cell: (model) => <Name org={org} model={model} />,
        },
        { title: 'In for 1M', numeric: true, cell: ({ pricing }) => priceOf(pricing.input) },
        {
          title: 'Out for 1M',
          numeric: true,
          cell: ({ pricing: { output } }) =>
            output === undefined ? <span className="text-muted">–</span> : priceOf(output),
        },
        {
          title: 'Context',
          wideOnly: true,
          numeric: true,
          cell: ({ context_length: context, max_output_tokens: most }) => (
            <span title={most === null ? undefined : `${sizeOf(most)} of them output at most`}>{sizeOf(context)}</span>
          ),
        },
        {
          title: 'Takes and gives',
          wideOnly: true,
          cell: ({ modalities: { input, output } }) => (
            <span className="text-muted">
              {input.join(', ')} → {output.join(', ')}
            </span>
          ),
        },
        {
          title: 'State',
          wideOnly: true,
          cell: ({ expires_at: end }) =>
            end === null ? (
              <State tone="good">Offered</State>
            ) : (
              <State tone="warn">Until {DAY.format(new Date(end))}</State>
            ),
        },
        {
          title: 'Actions',
          actions: true,
          wideOnly: true,
          cell: (model) =>
            isForChat(model) && (
              <ButtonLink look="quiet" href={playgroundOf(org, model)}>
                Try<span className="sr-only"> {model.name}</span>
              </ButtonLink>
            ),
        },
      ]}
    />
  );
}

function Name({ org, model }: { readonly org: string; readonly model: Model }): ReactNode {
  const { id, name } = model;
  return (
    <div className="max-w-44 sm:max-w-64">
      {isForChat(model) ? (
        <Link href={playgroundOf(org, model)} className="flex min-h-6 items-center font-medium hover:underline">
          {name}
        </Link>
      ) : (
        <span className="block truncate font-medium">{name}</span>
      )}
      <span className="flex items-center gap-1">
        <code className="text-muted truncate font-mono text-xs">{id}</code>
        <Copy text={id} label={`Copy the ID of ${name}`} />
      </span>
    </div>
  );
}

const playgroundOf = (org: string, { id }: Model): string =>
  `${pathTo('aiPlayground', { org })}?model=${encodeURIComponent(id)}`;

const orderIn = (text: string | null): Order => (text !== null && text in ORDERS ? (text as Order) : 'name');

/** Every word has to be somewhere in what the table shows. */
function isMatch({ id, name, aliases, modalities, protocols }: Model, wanted: string): boolean {
  const all = [id, name, ...aliases, ...modalities.input, ...modalities.output, ...protocols].join(' ').toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
