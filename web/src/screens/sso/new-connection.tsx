import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api';
import { refreshSso } from '../../data/sso';
import { pathTo } from '../../paths';
import { type Guide, GUIDES } from '../../sso/guides';
import { OidcFields, oidcIn, SamlFields, samlIn } from '../../sso/provider-fields';
import { Steps } from '../../sso/steps';
import { Button } from '../../ui/button';
import { Field, Form } from '../../ui/form';
import { Page, Section } from '../../ui/page';

interface Params {
  readonly org: string;
}

/** Asks for the provider, says what to do there, and takes what it shows. */
export function Screen({ org }: Params): ReactNode {
  const [guide, setGuide] = useState<Guide>();
  return (
    <Page title="New connection" above={[['Single sign-on', pathTo('sso', { org })]]}>
      {guide === undefined ? (
        <Section title="Where do your people sign in?">
          <ul className="grid gap-3 sm:grid-cols-2">
            {GUIDES.map((each) => (
              <li key={each.id}>
                <button
                  type="button"
                  className="card hover:bg-sunken grid min-h-16 w-full content-center gap-0.5 px-4 py-3 text-left"
                  onClick={() => {
                    setGuide(each);
                  }}
                >
                  <span className="font-medium">{each.title}</span>
                  <span className="text-muted text-sm">{each.type === 'oidc' ? 'OpenID Connect' : 'SAML 2.0'}</span>
                </button>
              </li>
            ))}
          </ul>
        </Section>
      ) : (
        <Details
          org={org}
          guide={guide}
          onBack={() => {
            setGuide(undefined);
          }}
        />
      )}
    </Page>
  );
}

interface DetailsProps {
  readonly org: string;
  readonly guide: Guide;
  readonly onBack: () => void;
}

function Details({ org, guide, onBack }: DetailsProps): ReactNode {
  const [, go] = useLocation();
  const isOther = guide.id === guide.type;
  return (
    <>
      <Section title={isOther ? '1. At your identity provider' : `1. At ${guide.title}`}>
        <div className="max-w-2xl">
          <Steps steps={guide.before} />
          <p className="text-muted mt-3">
            <a className="link" href="/docs/sso#at-the-provider" target="_blank" rel="noreferrer">
              What each provider needs
            </a>
          </p>
        </div>
      </Section>
      <Section title="2. Bring back what it shows">
        <div className="card max-w-lg p-4">
          <Form
            label="New connection"
            submit="Create a draft"
            aside={<Button onClick={onBack}>Another provider</Button>}
            onSubmit={async ({ name = '', ...values }) => {
              const oidc = oidcIn(values);
              const { id } = await api.sso.connections.create(org, {
                name,
                ...(guide.type === 'oidc'
                  ? {
                      type: 'oidc',
                      oidc: {
                        issuer: oidc.issuer ?? '',
                        client_id: oidc.client_id ?? '',
                        client_secret: oidc.client_secret ?? '',
                      },
                    }
                  : { type: 'saml', saml: samlIn(values) }),
              });
              await refreshSso(org);
              go(pathTo('ssoConnection', { org, connection: id }));
            }}
          >
            <Field
              label="Name"
              name="name"
              required
              autoFocus
              maxLength={100}
              defaultValue={isOther ? undefined : guide.title}
              hint="Administrators see it here."
            />
            {guide.type === 'oidc' ? <OidcFields guide={guide} /> : <SamlFields hasFile={guide.hasFile === true} />}
            <p className="text-muted text-sm">
              A draft lets nobody in. Next you see what to enter at the provider, and test it.
            </p>
          </Form>
        </div>
      </Section>
    </>
  );
}
