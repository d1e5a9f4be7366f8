import type { SsoConnection } from '@service/client';
import type { Value } from './values';

/** What a person does at a provider before and after the connection is created here. */
export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly type: SsoConnection['type'];
  /** Whether the issuer or entity ID of a connection is one of this provider. */
  readonly isAt: (issuer: string) => boolean;
  /** At the provider, to get what the form asks for. */
  readonly before: readonly string[];
  /** How an issuer looks, for OpenID Connect. */
  readonly issuer?: string;
  readonly issuerHint?: string;
  /** SAML metadata come as a file that is downloaded there, rather than at an address. */
  readonly hasFile?: boolean;
  /** At the provider, with the values of the connection. */
  readonly after: readonly string[];
  /** The names that the provider gives the values. */
  readonly names: { readonly redirect?: string; readonly acs?: string; readonly entity?: string };
}

const isHost =
  (...ends: readonly string[]) =>
  (issuer: string): boolean => {
    const host = URL.canParse(issuer) ? new URL(issuer).hostname : '';
    return ends.some((end) => host === end || host.endsWith(`.${end}`));
  };

export const GUIDES: readonly Guide[] = [
  {
    id: 'okta',
    title: 'Okta',
    type: 'oidc',
    isAt: isHost('okta.com', 'oktapreview.com', 'okta-emea.com'),
    before: [
      'In the admin console, open Applications and choose Create App Integration.',
      'Choose OIDC – OpenID Connect, then Web Application. Leave the redirect URIs as they are: you get the ' +
        'right one in the next step.',
      'Assign the people or groups that may sign in, and save. The page of the app shows the client ID and a ' +
        'client secret.',
    ],
    issuer: 'https://acme.okta.com',
    issuerHint: 'The address of your organization at Okta, without -admin.',
    after: [
      'Open the app, edit General Settings, and replace the sign-in redirect URI.',
      'For roles by groups: use the issuer of a custom authorization server (…/oauth2/<id>), and add a claim ' +
        'named groups to its ID token, always and in any scope.',
    ],
    names: { redirect: 'Sign-in redirect URI' },
  },
  {
    id: 'entra',
    title: 'Microsoft Entra ID',
    type: 'oidc',
    isAt: isHost('microsoftonline.com', 'windows.net', 'microsoftonline.us'),
    before: [
      'In the Entra admin center, open App registrations and choose New registration, for accounts in this ' +
        'directory only. Leave the redirect URI empty.',
      'Under Certificates & secrets, create a client secret, and copy its value.',
      'Under Token configuration, add the optional claim email to the ID token.',
    ],
    issuer: 'https://login.microsoftonline.com/<tenant id>/v2.0',
    issuerHint: 'With the Directory (tenant) ID of the overview.',
    after: [
      'Open Authentication of the app, add the platform Web, and enter the redirect URI.',
      'For roles by groups: add a groups claim under Token configuration. Groups are named by their object IDs then.',
    ],
    names: { redirect: 'Redirect URI' },
  },
  {
    id: 'google',
    title: 'Google Workspace',
    type: 'saml',
    isAt: (issuer) => isHost('accounts.google.com')(issuer) && issuer.includes('/o/saml2'),
    before: [
      'In the admin console, open Apps, Web and mobile apps, and choose Add custom SAML app.',
      'Give it a name, choose Download metadata on the next page, and leave that tab open.',
    ],
    hasFile: true,
    after: [
      'Go on in the tab that you left open, and enter these as service provider details.',
      'Leave Signed response off. Choose EMAIL as the format of the Name ID, and Primary email as the Name ID.',
      'Under Attributes, map Primary email to email, and groups to groups if they give roles.',
      'Finish, then switch the app on for your people under User access.',
    ],
    names: { acs: 'ACS URL', entity: 'Entity ID' },
  },
  {
    id: 'keycloak',
    title: 'Keycloak',
    type: 'oidc',
    isAt: (issuer) => /\/realms\/[^/]+\/?$/.test(issuer),
    before: [
      'In the admin console, choose your realm, open Clients, and choose Create client of the type OpenID Connect.',
      'Switch Client authentication on and leave Standard flow on. The tab Credentials shows the client secret.',
    ],
    issuer: 'https://keycloak.acme.com/realms/acme',
    issuerHint: 'The address of the realm.',
    after: [
      'Open the settings of the client, and enter the redirect URI.',
      'For roles by groups: add a mapper of the type Group Membership named groups, in the ID token, to the ' +
        'dedicated scope of the client.',
    ],
    names: { redirect: 'Valid redirect URIs' },
  },
  {
    id: 'oidc',
    title: 'Another provider',
    type: 'oidc',
    isAt: () => false,
    before: [
      'Create a confidential client (a web application) for the authorization code flow.',
      'If it asks for a redirect URI already, enter any: you get the right one in the next step.',
    ],
    issuer: 'https://idp.acme.com',
    issuerHint: 'Exactly as the provider shows it. Its metadata are at /.well-known/openid-configuration below it.',
    after: ['Enter the redirect URI at the client. Scopes are openid, email and profile.'],
    names: { redirect: 'Redirect URI' },
  },
  {
    id: 'saml',
    title: 'Another provider',
    type: 'saml',
    isAt: () => false,
    before: [
      'Create an application for SAML 2.0. If it asks for addresses of this service already, enter any: you get ' +
        'the right ones in the next step.',
      'Find its metadata: an address, or a file to download.',
    ],
    after: [
      'Enter these at the application, or let it read our metadata. It answers by POST, with a signed assertion ' +
        'that is not encrypted.',
      'Let it send a persistent Name ID, and the attributes email, displayName, and groups if they give roles.',
    ],
    names: { acs: 'ACS URL', entity: 'Entity ID' },
  },
];

/** The guide of a connection, by where its provider is. */
export function guideOf({ type, oidc, saml }: SsoConnection): Guide {
  const issuer = oidc?.issuer ?? saml?.idp.entity_id ?? '';
  return GUIDES.find((guide) => guide.type === type && guide.isAt(issuer)) ?? GUIDES.find(({ id }) => id === type)!;
}

/** What the provider has to know of the connection, by the names that it gives it. */
export function valuesOf({ oidc, saml }: SsoConnection, { names }: Guide): Value[] {
  if (oidc !== undefined) return [[names.redirect ?? 'Redirect URI', oidc.redirect_uri]];
  if (saml === undefined) return [];
  return [
    [names.acs ?? 'ACS URL', saml.acs_url],
    [names.entity ?? 'Entity ID', saml.entity_id],
    ['Metadata of this service', saml.metadata_url],
  ];
}
