import type { SsoConnection, SsoConnectionChange } from '@service/client';
import { type ReactNode, useState } from 'react';
import { Area } from '../ui/area';
import { Choice, Field } from '../ui/form';
import type { Guide } from './guides';

interface OidcFieldsProps {
  readonly guide: Guide;
  /** What is changed; the secret stays when it is left out. */
  readonly before?: SsoConnection['oidc'];
}

/** The names are those of the API, so that what it refuses stands beside its field. */
export function OidcFields({ guide, before }: OidcFieldsProps): ReactNode {
  return (
    <>
      <Field
        label="Issuer"
        name="oidc.issuer"
        type="url"
        required
        maxLength={500}
        defaultValue={before?.issuer}
        placeholder={guide.issuer}
        hint={guide.issuerHint}
      />
      <Field label="Client ID" name="oidc.client_id" required maxLength={255} defaultValue={before?.client_id} />
      <Field
        label="Client secret"
        name="oidc.client_secret"
        type="password"
        autoComplete="new-password"
        required={before === undefined}
        maxLength={1000}
        hint={
          before === undefined
            ? 'It is encrypted, and never shown again.'
            : 'Leave it empty to keep the one that is there. Another issuer needs another secret.'
        }
      />
    </>
  );
}

export const oidcIn = (values: Readonly<Record<string, string>>): NonNullable<SsoConnectionChange['oidc']> => ({
  issuer: values['oidc.issuer'] ?? '',
  client_id: values['oidc.client_id'] ?? '',
  ...((values['oidc.client_secret'] ?? '') !== '' && { client_secret: values['oidc.client_secret']! }),
});

interface SamlFieldsProps {
  readonly hasFile: boolean;
  readonly url?: string | undefined;
}

/** Metadata at an address are read again each day; those of a file stay as they are. */
export function SamlFields({ hasFile, url }: SamlFieldsProps): ReactNode {
  const [isFile, setFile] = useState(hasFile);
  const [xml, setXml] = useState('');
  return (
    <>
      <Choice
        label="Metadata of the provider"
        name="metadata"
        value={isFile ? 'file' : 'url'}
        hint={isFile ? 'Replace them before their certificate ends.' : 'They are read again each day.'}
        onChange={({ target }) => {
          setFile(target.value === 'file');
        }}
      >
        <option value="url">At an address</option>
        <option value="file">In a file</option>
      </Choice>
      {isFile ? (
        <>
          <label className="grid gap-1">
            <span className="font-medium">File</span>
            <input
              type="file"
              accept=".xml,application/xml,text/xml"
              className="input !h-auto py-1.5"
              onChange={({ target }) => {
                void target.files?.[0]?.text().then(setXml);
              }}
            />
          </label>
          <Area
            label="Or paste it"
            name="saml.metadata_xml"
            mono
            rows={6}
            required
            maxLength={262_144}
            value={xml}
            onChange={({ target }) => {
              setXml(target.value);
            }}
          />
        </>
      ) : (
        <Field
          label="Metadata URL"
          name="saml.metadata_url"
          type="url"
          required
          maxLength={1000}
          defaultValue={url}
          placeholder="https://idp.acme.com/metadata"
        />
      )}
    </>
  );
}

export const samlIn = (values: Readonly<Record<string, string>>): NonNullable<SsoConnectionChange['saml']> =>
  values['metadata'] === 'file'
    ? { metadata_xml: values['saml.metadata_xml'] ?? '' }
    : { metadata_url: values['saml.metadata_url'] ?? '' };
