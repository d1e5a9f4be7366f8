import { type ReactNode, useState } from 'react';
import { api, queries } from '../../api';
import { emailQuery } from '../../data/account';
import { meQuery } from '../../data/me';
import { PATHS } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Form } from '../../ui/form';
import { Frame } from './frame';
import { useLinkToken } from './token';

const MISSING = {
  new_address: 'Now open the link in the mail that went to the new address.',
  old_address: 'Now open the link in the mail that went to the old address, or wait for 48 hours.',
};

/**
 * Uses the token of the link in the mail to the new or the old address. It asks first: programs that check the links of
 * mails must not approve anything.
 */
export function Screen(): ReactNode {
  const token = useLinkToken();
  const [outcome, setOutcome] = useState<string>();
  if (token === undefined)
    return (
      <Frame title="Change of your email address" lead="Open the link in the mail that you got.">
        <ButtonLink href={PATHS.account} wide>
          Go to your account
        </ButtonLink>
      </Frame>
    );
  if (outcome !== undefined)
    return (
      <Frame title="Confirmed" lead={outcome}>
        <ButtonLink href={PATHS.account} look="primary" wide>
          Continue
        </ButtonLink>
      </Frame>
    );
  return (
    <Frame title="Change of your email address">
      <Form
        label="Confirm the change"
        submit="Confirm the change"
        wide
        onSubmit={async () => {
          const { waits_for: missing } = await api.auth.confirmEmailChange(token);
          setOutcome(missing === undefined ? 'The email address of your account has changed.' : MISSING[missing]);
          for (const { queryKey } of [meQuery, emailQuery]) void queries.invalidateQueries({ queryKey });
        }}
      >
        <p>Confirm it only if you asked for it.</p>
      </Form>
    </Frame>
  );
}
