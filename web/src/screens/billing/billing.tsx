import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { invoicesQuery, plansQuery, subscriptionQuery, upcomingInvoiceQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { pathTo } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { NotForRole } from '../../ui/not-for-role';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';
import { dayOf, exactly, monthOf } from './amounts';
import { InvoiceLines } from './invoice-lines';
import { InvoiceState } from './invoice-state';
import { Plans } from './plans';
import { SpendCap } from './spend-cap';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(plansQuery).catch(ignore);
  queries.query(subscriptionQuery(org)).catch(ignore);
  queries.query(upcomingInvoiceQuery(org)).catch(ignore);
  queries.infiniteQuery(invoicesQuery(org)).catch(ignore);
}

/** The plan, what is owed for it and for usage, and how that is paid. */
export function Screen({ org }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  return (
    <Page title="Billing" actions={mayRead && <ButtonLink href={pathTo('usage', { org })}>Usage</ButtonLink>}>
      {mayRead ? <Money org={org} /> : <NotForRole />}
    </Page>
  );
}

function Money({ org }: Params): ReactNode {
  const mayWrite = useMay(org, 'billing:write');
  const plans = useQuery(plansQuery);
  const subscription = useQuery(subscriptionQuery(org));
  const upcoming = useQuery(upcomingInvoiceQuery(org));
  return (
    <>
      <Section title="Plan">
        <Loaded query={plans}>
          {(all) => (
            <Loaded query={subscription}>
              {(data) => <Plans org={org} plans={all} subscription={data} mayWrite={mayWrite} />}
            </Loaded>
          )}
        </Loaded>
      </Section>
      <Section title="Upcoming invoice">
        <Loaded query={upcoming}>
          {({ period, total, lines, as_of: at }) => (
            <>
              <p className="mb-3">
                <b className="text-xl font-semibold tabular-nums">{exactly(total)}</b>{' '}
                <span className="text-muted">
                  for {monthOf(period.from)}: the plan to the end of the month, and usage until <Ago at={at} />
                </span>
              </p>
              {lines.length > 0 && <InvoiceLines lines={lines} />}
            </>
          )}
        </Loaded>
      </Section>
      <Invoices org={org} />
      {mayWrite && subscription.data?.payment === 'provider' && <Payment org={org} />}
      <SpendCap org={org} mayWrite={mayWrite} />
    </>
  );
}

function Invoices({ org }: Params): ReactNode {
  const invoices = useInfiniteQuery(invoicesQuery(org));
  return (
    <Section title="Invoices">
      <Loaded query={invoices}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">
              None yet. A month is closed two days after its end; without anything to pay or to show there is no
              invoice.
            </p>
          ) : (
            <Table
              label="Invoices, the latest first"
              rows={rowsOf(data)}
              keyOf={({ id }) => id}
              more={<More query={invoices} />}
              columns={[
                {
                  title: 'Number',
                  cell: ({ id, number }) => (
                    <ScreenLink to="invoice" params={{ org, invoice: id }} className="link whitespace-nowrap">
                      {number}
                    </ScreenLink>
                  ),
                },
                { title: 'Month', cell: ({ period }) => monthOf(period.from) },
                { title: 'State', cell: ({ state }) => <InvoiceState state={state} /> },
                {
                  title: 'Due',
                  wideOnly: true,
                  cell: ({ due_at: due, paid_at: paid }) => (paid === undefined ? dayOf(due) : `Paid ${dayOf(paid)}`),
                },
                { title: 'Total', numeric: true, cell: ({ total }) => exactly(total) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** The payment provider has the cards; the service does not. */
function Payment({ org }: Params): ReactNode {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const open = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { url } = await api.billing.portal({ organization: org });
      if (url !== undefined) location.assign(url);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title="Payment" hint="Cards and receipts are with the payment provider. Its page leads back here.">
      <div className="grid max-w-md justify-items-start gap-3">
        <Button busy={busy} onClick={() => void open()}>
          Change the payment method
        </Button>
        {error !== undefined && <ErrorNote error={error} />}
      </div>
    </Section>
  );
}
