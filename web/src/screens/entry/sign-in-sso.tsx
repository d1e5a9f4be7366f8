import { type ReactNode, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { canUseProviders, goToSso } from '../../identities/flows';
import { SsoButton } from '../../identities/sso-button';
import { inPlainWords } from '../../identities/sso-words';
import { PATHS } from '../../paths';
import { nextPath } from '../../shell/next-path';
import { Field, Form } from '../../ui/form';
import { Frame } from './frame';

/** The address of the work, or the organization, says whose identity provider to ask. */
export function Screen(): ReactNode {
  const search = useSearch();
  const org = new URLSearchParams(search).get('org') ?? '';
  const [byName, setByName] = useState(false);
  const next = nextPath(search);
  const others = new URLSearchParams(search);
  others.delete('org');
  const rest = others.size === 0 ? '' : `?${others.toString()}`;
  const below = (
    <Link href={PATHS.signIn + rest} className="link">
      Sign in another way
    </Link>
  );
  if (!canUseProviders())
    return (
      <Frame
        title="Sign in with SSO"
        lead="It needs an address of this service that begins with https."
        below={below}
      />
    );
  if (org !== '')
    return (
      <Frame
        title="Sign in with SSO"
        lead={
          <>
            You go to the identity provider of <b className="break-all">{org}</b>.
          </>
        }
        below={below}
      >
        <div className="grid gap-4">
          <SsoButton wanted={{ org }} next={next} wide>
            Go on
          </SsoButton>
          <Link href={PATHS.signInSso + rest} className="link justify-self-center">
            Another organization
          </Link>
        </div>
      </Frame>
    );
  return (
    <Frame title="Sign in with SSO" lead="You go to the identity provider of your organization." below={below}>
      <div className="grid gap-4">
        <Form
          key={String(byName)}
          label="Sign in with SSO"
          submit="Go on"
          wide
          onSubmit={async ({ email = '', org: name = '' }) => {
            try {
              await goToSso(byName ? { org: name.trim() } : { email }, next);
            } catch (error) {
              throw inPlainWords(error);
            }
          }}
        >
          {byName ? (
            <Field
              label="Organization"
              name="org"
              required
              autoFocus
              maxLength={100}
              hint="Its short name, as in addresses of the dashboard."
              placeholder="acme"
            />
          ) : (
            <Field label="Work email" name="email" type="email" autoComplete="email" required autoFocus />
          )}
        </Form>
        <button
          type="button"
          className="link min-h-6 justify-self-center"
          onClick={() => {
            setByName(!byName);
          }}
        >
          {byName ? 'Use your work email instead' : 'Use the name of your organization instead'}
        </button>
      </div>
    </Frame>
  );
}
