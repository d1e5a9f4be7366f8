import type { OpsOrganization } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { opsOrganizationQuery } from '../../data/operator';
import { PATHS } from '../../paths';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Figure } from '../../ui/figure';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { Page, Section } from '../../ui/page';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { dayOf, exactly, monthOf } from '../billing/amounts';

interface Params {
  readonly id: string;
}

export function prepare({ id }: Params): void {
  queries.query(opsOrganizationQuery(id)).catch(ignore);
}

/** One organization as an operator has to know it. */
export function Screen({ id }: Params): ReactNode {
  const organization = useQuery(opsOrganizationQuery(id));
  return (
    <Page
      title={organization.data?.name ?? 'Organization'}
      above={[
        ['Operator', PATHS.operator],
        ['Organizations', PATHS.operatorOrganizations],
      ]}
    >
      <Loaded query={organization}>{(found) => <Account organization={found} />}</Loaded>
    </Page>
  );
}

interface AccountProps {
  readonly organization: OpsOrganization;
}

function Account({ organization }: AccountProps): ReactNode {
  const { id, slug, plan, priceUsdPerMonth, members, owners, createdAt, upcomingUsd } = organization;
  return (
    <>
      <div className="mb-4">
        <CopyLine text={id} label="Id of the organization" />
      </div>
      <dl className="mb-8 grid gap-3 sm:grid-cols-3">
        <Figure label="Plan" value={<span className="capitalize">{plan}</span>}>
          {exactly(priceUsdPerMonth)} a month{changeInWords(organization)}
        </Figure>
        <Figure label="Members" value={members}>
          <span className="break-words">Owned by {owners.join(', ')}</span>
        </Figure>
        <Figure label="This month so far" value={exactly(upcomingUsd)}>
          {slug}, since {dayOf(createdAt)}
        </Figure>
      </dl>
      <Section title="Limits" hint="What the plan allows, and what is used of it.">
        <div className="card grid gap-4 p-5">
          {organization.limits.map(({ limit, used, allowed }) => (
            <MeterBar key={limit} label={LIMITS[limit].label} used={used} limit={allowed ?? null}>
              {LIMITS[limit].words(used)} of {allowed === undefined ? 'any number' : LIMITS[limit].words(allowed)}
            </MeterBar>
          ))}
        </div>
      </Section>
      <Section title="Plan" hint="It is in force at once, and settles a pending request.">
        <PlanForm organization={organization} />
      </Section>
      <Section title="Invoices">
        <Invoices organization={organization} />
      </Section>
    </>
  );
}

const changeInWords = ({ nextPlan, requestedPlan }: OpsOrganization): string =>
  requestedPlan !== undefined
    ? `, asks for ${requestedPlan}`
    : nextPlan !== undefined
      ? `, ${nextPlan} from next month`
      : '';

const COUNT = new Intl.NumberFormat('en');
const MIB = 1_048_576;

const LIMITS = {
  projects: { label: 'Projects', words: (count: number) => COUNT.format(count) },
  agents: { label: 'Agents', words: (count: number) => COUNT.format(count) },
  repositories: { label: 'Repositories', words: (count: number) => COUNT.format(count) },
  bytes_in_deploys: {
    label: 'Files of deploys',
    words: (bytes: number) => `${COUNT.format(Math.round(bytes / MIB))} MiB`,
  },
  databases: { label: 'Databases', words: (count: number) => COUNT.format(count) },
  buckets: { label: 'Buckets', words: (count: number) => COUNT.format(count) },
  bytes_in_buckets: {
    label: 'Objects in buckets',
    words: (bytes: number) => `${COUNT.format(Math.round(bytes / 1_000_000))} MB`,
  },
} as const;

function PlanForm({ organization: { id, plan } }: AccountProps): ReactNode {
  return (
    <div className="card max-w-xl p-5">
      <Form
        label="Plan of the organization"
        submit="Set the plan"
        onSubmit={async ({ plan: wanted = '', priceUsdPerMonth = '', reason = '' }) => {
          const price = priceUsdPerMonth === '' ? {} : { priceUsdPerMonth };
          await api.ops.setPlan(id, { plan: wanted as 'free', reason, ...price });
          await refresh(id);
        }}
      >
        <Choice label="Plan" name="plan" defaultValue={plan}>
          <option value="free">Free</option>
          <option value="builder">Builder</option>
          <option value="pro">Pro</option>
          <option value="enterprise">Enterprise</option>
        </Choice>
        <Field
          label="Price a month in USD"
          name="priceUsdPerMonth"
          inputMode="decimal"
          hint="The list price if it is empty. Enterprise has none."
        />
        <Field label="Reason" name="reason" required maxLength={100} hint="The organization sees it." />
      </Form>
    </div>
  );
}

const refresh = (id: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: opsOrganizationQuery(id).queryKey });

type Invoice = OpsOrganization['invoices'][number];

const STATES: Readonly<Record<Invoice['state'], readonly ['accent' | 'good' | 'bad' | 'quiet', string]>> = {
  gathering: ['quiet', 'Draft'],
  draft: ['quiet', 'Draft'],
  finalized: ['accent', 'To be paid'],
  paid: ['good', 'Paid'],
  overdue: ['bad', 'Overdue'],
  void: ['quiet', 'Void'],
};

const isOpen = ({ state }: Invoice): boolean => state === 'finalized' || state === 'overdue';

function Invoices({ organization: { id, invoices } }: AccountProps): ReactNode {
  const [paid, setPaid] = useState<Invoice>();
  const [corrected, setCorrected] = useState<Invoice>();
  const close = (): void => {
    setPaid(undefined);
    setCorrected(undefined);
  };
  if (invoices.length === 0) return <p className="text-muted">None yet.</p>;
  return (
    <>
      <Table
        label="Invoices, the latest first"
        rows={invoices}
        keyOf={(invoice) => invoice.id}
        columns={[
          { title: 'Number', cell: ({ number }) => <span className="whitespace-nowrap">{number}</span> },
          { title: 'Month', wideOnly: true, cell: ({ periodFrom }) => monthOf(periodFrom) },
          {
            title: 'State',
            cell: ({ state }) => <State tone={STATES[state][0]}>{STATES[state][1]}</State>,
          },
          { title: 'Total', wideOnly: true, cell: ({ totalUsd }) => exactly(totalUsd) },
          {
            title: 'Due',
            cell: (invoice) => `${exactly(invoice.dueUsd)}${isOpen(invoice) ? ` on ${dayOf(invoice.dueAt)}` : ''}`,
          },
          {
            title: 'Actions',
            actions: true,
            cell: (invoice) => (
              <div className="flex flex-wrap justify-end gap-1">
                {isOpen(invoice) && (
                  <Button
                    look="quiet"
                    onClick={() => {
                      setPaid(invoice);
                    }}
                  >
                    Mark as paid<span className="sr-only"> {invoice.number}</span>
                  </Button>
                )}
                {invoice.state !== 'void' && (
                  <Button
                    look="quiet"
                    onClick={() => {
                      setCorrected(invoice);
                    }}
                  >
                    Credit note<span className="sr-only"> {invoice.number}</span>
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      <Dialog open={paid !== undefined} title={`Mark ${paid?.number ?? ''} as paid`} onClose={close}>
        <Form
          label="Mark as paid"
          submit="Mark as paid"
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async ({ payment = '' }) => {
            if (paid !== undefined) await api.ops.markPaid(paid.id, payment);
            await refresh(id);
            close();
          }}
        >
          <p className="text-muted">{paid !== undefined && exactly(paid.dueUsd)} arrived outside of the service.</p>
          <Field
            label="How it was paid"
            name="payment"
            required
            maxLength={100}
            autoFocus
            placeholder="Transfer of 3 December"
            hint="The organization sees it."
          />
        </Form>
      </Dialog>
      <Dialog open={corrected !== undefined} title={`Credit note for ${corrected?.number ?? ''}`} onClose={close}>
        <Form
          label="Credit note"
          submit="Create the credit note"
          look="danger"
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async ({ amountUsd = '', reason = '', key = '' }) => {
            if (corrected !== undefined) await api.ops.creditNote(corrected.id, { amountUsd, reason, key });
            await refresh(id);
            close();
          }}
        >
          <p className="text-muted">It cannot be taken back. The same ticket takes effect once.</p>
          <Field label="Amount in USD" name="amountUsd" required inputMode="decimal" autoFocus />
          <Field label="Reason" name="reason" required maxLength={100} hint="The organization sees it." />
          <Field label="Ticket" name="key" required maxLength={100} placeholder="ticket-4711" />
        </Form>
      </Dialog>
    </>
  );
}
