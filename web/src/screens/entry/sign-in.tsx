import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { signIn } from '../../data/session';
import { PATHS } from '../../paths';
import { nextPath } from '../../shell/sign-in-path';
import { Field, Form } from '../../ui/form';
import { Frame } from './frame';

export function Screen(): ReactNode {
  const [, go] = useLocation();
  const search = useSearch();
  return (
    <Frame
      title="Sign in"
      below={
        <>
          No account yet?{' '}
          <Link href={search === '' ? PATHS.signUp : `${PATHS.signUp}?${search}`} className="link">
            Sign up
          </Link>
        </>
      }
    >
      <Form
        label="Sign in"
        submit="Sign in"
        wide
        onSubmit={async ({ login = '', password = '' }) => {
          await signIn(login, password);
          go(nextPath(search), { replace: true });
        }}
      >
        <Field label="Username or email" name="login" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        <p className="-mt-2 text-right text-sm">
          <Link href={PATHS.resetPassword} className="link">
            Forgot your password?
          </Link>
        </p>
      </Form>
    </Frame>
  );
}
