import { type ReactNode, useState } from 'react';
import { api } from '../../api';
import { PATHS } from '../../paths';
import { Confirm } from '../../ui/confirm';
import { Choice, Field, Form } from '../../ui/form';
import { Page, Section } from '../../ui/page';

/** What waits for a confirmation. */
interface Pending {
  readonly sentence: string;
  readonly action: string;
  readonly run: () => Promise<string>;
}

const ORG = { label: 'Organization', name: 'orgId', required: true, placeholder: 'org_…', pattern: 'org_[0-9a-z]{26}' };
const REASON = { label: 'Reason', name: 'reason', required: true, maxLength: 100, hint: 'The organization sees it.' };
const AMOUNT = { label: 'Amount in USD', name: 'amountUsd', required: true, inputMode: 'decimal' } as const;

/** Plans, credits and credit notes. Everything here is money, so each asks once more. */
export function Screen(): ReactNode {
  const [pending, setPending] = useState<Pending>();
  const [done, setDone] = useState('');
  const ask = (next: Pending): Promise<void> => {
    setDone('');
    setPending(next);
    return Promise.resolve();
  };
  return (
    <Page title="Plans and money" above={[['Operator', PATHS.operator]]}>
      <p role="status" className="bg-good-soft text-good mb-6 rounded-md p-3 empty:hidden">
        {done}
      </p>
      <Section title="Plan of an organization" hint="It is in force at once, and settles a pending request.">
        <Card>
          <Form
            label="Plan of an organization"
            submit="Set the plan"
            onSubmit={({ orgId = '', plan = '', price = '', reason = '' }) =>
              ask({
                sentence: `${orgId} gets the plan ${plan}${price === '' ? '' : ` for ${price} USD a month`}.`,
                action: 'Set the plan',
                run: async () => {
                  const body = { plan: plan as 'free', reason, ...(price === '' ? {} : { priceUsdPerMonth: price }) };
                  const set = await api.ops.setPlan(orgId, body);
                  return `${set.orgId} has the plan ${set.plan} at ${set.priceUsdPerMonth} USD a month.`;
                },
              })
            }
          >
            <Field {...ORG} />
            <Choice label="Plan" name="plan">
              <option value="free">Free</option>
              <option value="builder">Builder</option>
              <option value="pro">Pro</option>
              <option value="enterprise">Enterprise</option>
            </Choice>
            <Field
              label="Price a month in USD"
              name="price"
              inputMode="decimal"
              hint="The list price if it is empty. Enterprise has none."
            />
            <Field {...REASON} />
          </Form>
        </Card>
      </Section>
      <Section title="Credits" hint="A refund of usage that has not been invoiced, or a gift.">
        <Card>
          <Form
            label="Credits"
            submit="Grant credits"
            onSubmit={({ orgId = '', amountUsd = '', reason = '', key = '' }) =>
              ask({
                sentence: `${orgId} gets credits of ${amountUsd} USD.`,
                action: 'Grant the credits',
                run: async () => {
                  await api.ops.grantCredits({ orgId, amountUsd, reason, key });
                  return `${orgId} has ${amountUsd} USD more.`;
                },
              })
            }
          >
            <Field {...ORG} />
            <Field {...AMOUNT} />
            <Field {...REASON} />
            <Ticket />
          </Form>
        </Card>
      </Section>
      <Section title="Credit note" hint="Corrects an invoice that has been issued.">
        <Card>
          <Form
            label="Credit note"
            submit="Create the credit note"
            onSubmit={({ invoice = '', amountUsd = '', reason = '', key = '' }) =>
              ask({
                sentence: `A credit note of ${amountUsd} USD is issued for the invoice ${invoice}. It cannot be taken back.`,
                action: 'Create the credit note',
                run: async () => {
                  const { number, dueUsd } = await api.ops.creditNote(invoice, { amountUsd, reason, key });
                  return `${number} has its credit note; ${dueUsd} USD are due.`;
                },
              })
            }
          >
            <Field label="Invoice" name="invoice" required placeholder="ivc_…" />
            <Field {...AMOUNT} />
            <Field {...REASON} />
            <Ticket />
          </Form>
        </Card>
      </Section>
      <Confirm
        open={pending !== undefined}
        title="Are you sure?"
        action={pending?.action ?? ''}
        danger
        onClose={() => {
          setPending(undefined);
        }}
        onConfirm={async () => {
          if (pending !== undefined) setDone(await pending.run());
        }}
      >
        {pending?.sentence}
      </Confirm>
    </Page>
  );
}

function Card({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="card max-w-xl p-5">{children}</div>;
}

/** The same ticket takes effect once, however often it is sent. */
function Ticket(): ReactNode {
  return (
    <Field
      label="Ticket"
      name="key"
      required
      maxLength={100}
      pattern="[A-Za-z0-9._\-]+"
      placeholder="ticket-4711"
      hint="The same ticket takes effect once."
    />
  );
}
