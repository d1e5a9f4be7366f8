import type { EmailChange } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../../api';
import { emailQuery } from '../../data/account';
import { meQuery } from '../../data/me';
import { Button } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { State } from '../../ui/state';
import { Ago } from '../../ui/time';

async function refresh(): Promise<void> {
  void queries.invalidateQueries({ queryKey: meQuery.queryKey });
  await queries.invalidateQueries({ queryKey: emailQuery.queryKey });
}

/** Changes the email address, and shows the change that is in progress. */
export function ChangeEmail(): ReactNode {
  const email = useQuery(emailQuery);
  const [requests, setRequests] = useState(0);
  return (
    <div className="card grid max-w-md gap-4 p-4">
      <Loaded query={email} lines={2}>
        {({ change }) => (
          <>
            {change !== undefined && <Pending change={change} />}
            <Form
              key={requests}
              label="Change the email address"
              submit="Change the email address"
              onSubmit={async ({ email: wanted = '' }) => {
                await api.me.changeEmail(wanted);
                setRequests((count) => count + 1);
                await refresh();
              }}
            >
              <Field label="New email address" name="email" type="email" autoComplete="email" required />
            </Form>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Pending({ change }: { readonly change: EmailChange }): ReactNode {
  const cancel = useMutation({ mutationFn: () => api.me.cancelEmailChange(), onSettled: refresh });
  const isWaived = change.approved || Date.parse(change.approval_waived_at) <= Date.now();
  return (
    <div role="status" className="grid gap-3">
      <p>
        It changes to <b className="break-all">{change.email}</b> when both addresses have confirmed it with the link in
        their mail.
        {!isWaived && (
          <>
            {' '}
            If you have lost the old one, its answer is not needed any more <Ago at={change.approval_waived_at} />.
          </>
        )}
      </p>
      <p className="flex flex-wrap items-center gap-2">
        New address <Answered yes={change.proven} /> Old address <Answered yes={isWaived} />
      </p>
      {cancel.isError && <ErrorNote error={cancel.error} />}
      <div>
        <Button
          busy={cancel.isPending}
          onClick={() => {
            cancel.mutate();
          }}
        >
          Cancel the change
        </Button>
      </div>
    </div>
  );
}

const Answered = ({ yes }: { readonly yes: boolean }): ReactNode =>
  yes ? <State tone="good">Confirmed</State> : <State tone="accent">Waiting</State>;
