import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../../api';
import { money } from '../../chart/units';
import { refreshBilling, spendCapQuery } from '../../data/billing';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { Section } from '../../ui/page';

interface SpendCapProps {
  readonly org: string;
  readonly mayWrite: boolean;
}

/** How much usage may be billed in a month, beyond the credits. */
export function SpendCap({ org, mayWrite }: SpendCapProps): ReactNode {
  const cap = useQuery(spendCapQuery(org));
  const [removing, setRemoving] = useState(false);
  const set = async (amount: string | null): Promise<void> => {
    queries.setQueryData(spendCapQuery(org).queryKey, await api.billing.setSpendCap(amount, { organization: org }));
    await refreshBilling(org);
  };
  return (
    <Section
      title="Spend cap"
      hint={
        'Work that could exceed it is refused before it starts. It counts usage beyond the credits in a month (UTC), ' +
        'not the price of the plan.'
      }
    >
      <Loaded query={cap}>
        {({ amount, billed }) => (
          <div className="card grid max-w-md gap-5 p-4">
            {amount === null ? (
              <p>There is no cap. {money(Number(billed))} of usage beyond the credits was billed so far this month.</p>
            ) : (
              <MeterBar label="This month" used={Number(billed)} limit={Number(amount)}>
                {money(Number(billed))} of {money(Number(amount))}
              </MeterBar>
            )}
            {mayWrite && (
              <Form
                key={amount}
                label="Spend cap"
                submit={amount === null ? 'Set the cap' : 'Change the cap'}
                aside={
                  amount !== null && (
                    <Button
                      onClick={() => {
                        setRemoving(true);
                      }}
                    >
                      Remove the cap
                    </Button>
                  )
                }
                onSubmit={({ amount: wanted = '' }) => set(wanted.trim())}
              >
                <Field
                  label="US dollars a month"
                  name="amount"
                  inputMode="decimal"
                  required
                  defaultValue={amount ?? ''}
                  placeholder="100"
                  hint="0 allows credits only."
                />
              </Form>
            )}
            <Confirm
              open={removing}
              title="Remove the spend cap?"
              action="Remove the cap"
              danger
              onClose={() => {
                setRemoving(false);
              }}
              onConfirm={() => set(null)}
            >
              Usage is then billed without a limit of its own, where the plan bills usage.
            </Confirm>
          </div>
        )}
      </Loaded>
    </Section>
  );
}
