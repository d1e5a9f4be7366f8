import type { SsoConnection } from '@service/client';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { refreshSso } from '../data/sso';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Fact } from '../ui/fact';
import { Form } from '../ui/form';
import { Section } from '../ui/page';
import { Ago } from '../ui/time';
import { guideOf } from './guides';
import { OidcFields, oidcIn, SamlFields, samlIn } from './provider-fields';

interface ProviderProps {
  readonly org: string;
  readonly connection: SsoConnection;
}

/** What is known of the identity provider, and the way to change it. */
export function Provider({ org, connection }: ProviderProps): ReactNode {
  const { id, oidc, saml } = connection;
  const [changing, setChanging] = useState(false);
  const guide = guideOf(connection);
  const close = (): void => {
    setChanging(false);
  };
  return (
    <Section title="Identity provider">
      <div className="card grid max-w-2xl gap-4 p-4">
        <dl className="grid gap-3">
          {oidc !== undefined && (
            <>
              <Code name="Issuer" text={oidc.issuer} />
              <Code name="Client ID" text={oidc.client_id} />
            </>
          )}
          {saml !== undefined && <SamlFacts idp={saml.idp} />}
        </dl>
        <div>
          <Button
            onClick={() => {
              setChanging(true);
            }}
          >
            {oidc === undefined ? 'Replace the metadata' : 'Change the issuer or the client'}
          </Button>
        </div>
      </div>
      <Dialog open={changing} title="Change the identity provider" onClose={close} wide>
        <Form
          label="Change the identity provider"
          submit="Save the provider"
          look="danger"
          aside={<Button onClick={close}>Cancel</Button>}
          onSubmit={async (values) => {
            await api.sso.connections.update(
              org,
              id,
              saml === undefined ? { oidc: oidcIn(values) } : { saml: samlIn(values) },
            );
            await refreshSso(org);
            close();
          }}
        >
          <p className="text-muted">
            With another provider or client, the connection is a draft again: nobody signs in through it until you have
            tested and activated it. People are then new to it, and their sessions end.
          </p>
          {oidc === undefined ? (
            <SamlFields hasFile={saml?.idp.metadata_url === undefined} url={saml?.idp.metadata_url} />
          ) : (
            <OidcFields guide={guide} before={oidc} />
          )}
        </Form>
      </Dialog>
    </Section>
  );
}

type Idp = NonNullable<SsoConnection['saml']>['idp'];

const PROBLEMS: Readonly<Record<NonNullable<Idp['metadata_problem']>, string>> = {
  unreadable: 'The metadata could not be read. What was read before goes on counting.',
  other_provider: 'The metadata name another entity ID or sign-in URL. Replace the metadata here to accept them.',
};

function SamlFacts({ idp }: { readonly idp: Idp }): ReactNode {
  const { entity_id: entity, sso_url: url, metadata_url: metadata, metadata_read_at: readAt } = idp;
  return (
    <>
      <Code name="Entity ID" text={entity} />
      <Code name="Sign-in URL" text={url} />
      {metadata !== undefined && <Code name="Metadata URL" text={metadata} />}
      {readAt !== undefined && (
        <Fact name="Metadata read">
          <Ago at={readAt} />
        </Fact>
      )}
      {idp.metadata_problem !== undefined && <p className="text-warn">{PROBLEMS[idp.metadata_problem]}</p>}
      {idp.certificates.map(({ sha256, subject, expires_at: ends }) => (
        <Fact key={sha256} name="Certificate">
          <span className="min-w-0">
            <span className="block break-words">{subject}</span>
            <code className="text-muted block font-mono text-xs break-all">{sha256}</code>
            <span className="text-muted block text-sm">
              Ends <Ago at={ends} />
            </span>
          </span>
        </Fact>
      ))}
    </>
  );
}

function Code({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <Fact name={name}>
      <code className="min-w-0 font-mono text-sm break-all">{text}</code>
    </Fact>
  );
}
