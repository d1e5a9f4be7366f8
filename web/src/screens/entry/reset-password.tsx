import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { api, queries } from '../../api';
import { PATHS } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Field, Form } from '../../ui/form';
import { Frame } from './frame';
import { NewPassword } from './new-password';
import { useLinkToken } from './token';

/** Asks for the mail; with the token of its link, for the new password. */
export function Screen(): ReactNode {
  const token = useLinkToken();
  return token === undefined ? <AskForMail /> : <ChoosePassword token={token} />;
}

function AskForMail(): ReactNode {
  const [sentTo, setSentTo] = useState<string>();
  const back = (
    <Link href={PATHS.signIn} className="link">
      Back to sign-in
    </Link>
  );
  if (sentTo !== undefined)
    return (
      <Frame title="Look into your mail" below={back}>
        <p role="status">
          If <b className="break-all">{sentTo}</b> has an account, a message with a link is on its way. The link works
          for an hour.
        </p>
      </Frame>
    );
  return (
    <Frame title="Reset your password" lead="You get a link by mail." below={back}>
      <Form
        label="Reset your password"
        submit="Send the link"
        wide
        onSubmit={async ({ email = '' }) => {
          await api.auth.forgotPassword(email);
          setSentTo(email);
        }}
      >
        <Field label="Email" name="email" type="email" autoComplete="email" required autoFocus />
      </Form>
    </Frame>
  );
}

function ChoosePassword({ token }: { readonly token: string }): ReactNode {
  const [done, setDone] = useState(false);
  if (done)
    return (
      <Frame title="Your password is changed">
        <p className="mb-4" role="status">
          All devices are signed out.
        </p>
        <ButtonLink href={PATHS.signIn} look="primary" wide>
          Sign in
        </ButtonLink>
      </Frame>
    );
  return (
    <Frame title="Choose a new password">
      <Form
        label="Choose a new password"
        submit="Change the password"
        wide
        onSubmit={async ({ password = '', revoke }) => {
          await api.auth.resetPassword({ token, password, revoke_keys: revoke === 'on' });
          queries.clear();
          setDone(true);
        }}
      >
        <NewPassword name="password" label="New password" />
        <label className="flex gap-2">
          <input type="checkbox" name="revoke" className="mt-0.5 size-4" />
          <span>Revoke my API keys as well, if another person may have them</span>
        </label>
      </Form>
    </Frame>
  );
}
