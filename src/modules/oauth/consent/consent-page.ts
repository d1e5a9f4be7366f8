import { escapeHtml } from '../../../platform/text/escape-html.js';
import type { OrgMembership, Principal } from '../../auth/principal.js';
import { CONSENT_PATH } from '../domain/addresses.js';
import { formTargetOf, isOnMachine, type OauthClient, redirectPlaceOf } from '../domain/client-metadata.js';
import { READING_SCOPES } from '../domain/grantable-scopes.js';
import { type Page, pageOf } from './page.js';

/** The request of a client that a person answers. */
export interface ClientRequest {
  readonly uid: string;
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

/** A form of this page, and the proof that its answer comes from it. */
export interface PageForm {
  readonly token: string;
  /** What was wrong with the answer before. */
  readonly fault?: string | undefined;
}

/** Asks the person to sign in. */
export function signInPage({ uid, client, redirectUri }: ClientRequest, { token, fault }: PageForm): Page {
  return pageOf(`Sign in to connect ${client.name}`, [
    ...faultOf(fault),
    ...factsOf(client, redirectUri),
    '<p>Confirm that it is you: enter your password, also if you have signed in before. If you have none, sign in to ' +
      'the dashboard in this browser with GitHub or Google, then load this page again.</p>',
    `<form method="post" action="${CONSENT_PATH}/${uid}/sign-in">`,
    hidden(token),
    '<label>Username or email <input class="field" name="login" required maxlength="254" autocomplete="username" ' +
      'autofocus></label>',
    '<label>Password <input class="field" type="password" name="password" required ' +
      'autocomplete="current-password"></label>',
    '<button>Sign in</button>',
    '</form>',
  ]);
}

/** Asks for a second factor after the password. A passkey is shown in the dashboard, whose page this is not. */
export function secondFactorPage(
  { uid, client, redirectUri }: ClientRequest,
  { token, fault }: PageForm,
  flow: string,
): Page {
  return pageOf(`Sign in to connect ${client.name}`, [
    ...faultOf(fault),
    ...factsOf(client, redirectUri),
    '<p>Your password is right. Enter a code of your authenticator app, or a recovery code. ' +
      'If you have only a passkey, sign in to the dashboard in this browser, then load this page again.</p>',
    `<form method="post" action="${CONSENT_PATH}/${uid}/second-factor">`,
    hidden(token),
    `<input type="hidden" name="flow" value="${escapeHtml(flow)}">`,
    '<label>Code <input class="field" name="code" required maxlength="40" autocomplete="one-time-code" ' +
      'autofocus></label>',
    '<button>Sign in</button>',
    '</form>',
  ]);
}

/** Asks what the client may do. Only reading is ticked. */
export function consentPage(
  { uid, client, redirectUri, scopes }: ClientRequest,
  { principal, orgs }: { readonly principal: Principal; readonly orgs: readonly OrgMembership[] },
  { token, fault }: PageForm,
): Page {
  const parts = [
    ...faultOf(fault),
    `<p>You are signed in as <strong>${escapeHtml(principal.user.username)}</strong>.</p>`,
    ...factsOf(client, redirectUri),
    `<form method="post" action="${CONSENT_PATH}/${uid}">`,
    hidden(token),
    '<fieldset><legend>Organizations</legend>',
    ...orgs.map((org) =>
      box(
        'org',
        org.id,
        `${org.name} (${org.slug})`,
        org.id === (orgs.find(({ personal }) => personal) ?? orgs[0])?.id,
      ),
    ),
    '</fieldset>',
    '<fieldset><legend>It may</legend>',
    ...scopes.map((scope) =>
      box('scope', scope, describe(scope), (READING_SCOPES as readonly string[]).includes(scope)),
    ),
    '</fieldset>',
    '<p>It can do no more than you can, until you end its access under Connected apps.</p>',
    '<button name="decision" value="allow">Allow</button>',
    '<button name="decision" value="deny" formnovalidate>Deny</button>',
    '</form>',
  ];
  return pageOf(`Connect ${client.name}?`, parts, [formTargetOf(redirectUri)]);
}

/** A page without a form. */
export const messagePage = (title: string, text: string): Page => pageOf(title, [`<p>${escapeHtml(text)}</p>`]);

function factsOf(client: OauthClient, redirectUri: string): string[] {
  const { host, isLoopback } = redirectPlaceOf(redirectUri);
  const origin = client.host === undefined ? 'unknown: it described itself' : escapeHtml(client.host);
  const facts = [
    '<dl>',
    `<dt>Calls itself</dt><dd>${escapeHtml(client.name)}</dd>`,
    `<dt>Comes from</dt><dd>${origin}</dd>`,
    `<dt>Leads you to</dt><dd>${escapeHtml(host)}</dd>`,
    '</dl>',
  ];
  if (isLoopback || isOnMachine(client))
    facts.push(
      '<p class="warn">It leads to a program on this computer, and nothing proves which program that is. ' +
        'Continue only if you have just started it yourself.</p>',
    );
  return facts;
}

const faultOf = (fault: string | undefined): string[] =>
  fault === undefined ? [] : [`<p class="warn" role="alert">${escapeHtml(fault)}</p>`];

const hidden = (token: string): string => `<input type="hidden" name="token" value="${escapeHtml(token)}">`;

const box = (name: string, value: string, text: string, isTicked: boolean): string =>
  `<label><input type="checkbox" name="${name}" value="${escapeHtml(value)}"${isTicked ? ' checked' : ''}> ` +
  `${escapeHtml(text)}</label>`;

function describe(scope: string): string {
  const [resource = '', action = ''] = scope.split(':');
  const verb = VERBS[action] ?? action;
  return `${verb} ${resource === 'ai' ? 'models' : resource} (${scope})`;
}

const VERBS: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Change',
  execute: 'Run code in the',
  run: 'Run',
  invoke: 'Call',
  production: 'Change production by',
};
