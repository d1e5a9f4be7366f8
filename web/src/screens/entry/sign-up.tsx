import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { signUp } from '../../data/session';
import { ProviderButtons } from '../../identities/providers';
import { PATHS } from '../../paths';
import { nextPath } from '../../shell/next-path';
import { Field, Form } from '../../ui/form';
import { Frame } from './frame';
import { NewPassword } from './new-password';

export function Screen(): ReactNode {
  const [, go] = useLocation();
  const search = useSearch();
  return (
    <Frame
      title="Create an account"
      lead="Free, and without a card."
      below={
        <>
          Have an account already?{' '}
          <Link href={search === '' ? PATHS.signIn : `${PATHS.signIn}?${search}`} className="link">
            Sign in
          </Link>
        </>
      }
    >
      <div className="grid gap-4">
        <Form
          label="Create an account"
          submit="Create the account"
          wide
          onSubmit={async ({ username = '', email = '', password = '' }) => {
            await signUp({ username, email, password });
            go(nextPath(search), { replace: true });
          }}
        >
          <Field
            label="Username"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            hint="Letters a–z, digits and single hyphens."
          />
          <Field label="Email" name="email" type="email" autoComplete="email" required />
          <NewPassword name="password" label="Password" />
        </Form>
        <ProviderButtons words="Sign up with" next={nextPath(search)} />
      </div>
    </Frame>
  );
}
