import type { PathName } from '../../web/src/paths.js';
import type { Site } from './support.js';

/** What the screens show: a person with one organization and one project, which is deployed. */
export interface World extends Site {
  readonly org: string;
}

interface Row {
  /** What is visible when the screen is ready: the text of an element, or a selector. */
  readonly ready: string;
  readonly params?: (world: World) => Readonly<Record<string, string>>;
  /** What is behind the address, as with links in mails. */
  readonly after?: string;
  /** The screens of operators. */
  readonly operator?: boolean;
  /** The screens of people who have not signed in. */
  readonly signedOut?: boolean;
}

/** Every address of the app with what it takes to test its screen. */
export const SCREENS_UNDER_TEST: Readonly<Record<PathName, Row>> = {
  home: { ready: 'h1:has-text("Projects")' },
  signIn: { ready: 'button:has-text("Sign in")', signedOut: true },
  signUp: { ready: 'button:has-text("Create the account")', signedOut: true },
  resetPassword: { ready: 'button:has-text("Change the password")', after: '#token=svc_mail_unknown', signedOut: true },
  verifyEmail: { ready: 'button:has-text("Send the link again")' },
  acceptInvitation: { ready: 'button:has-text("Accept the invitation")', after: '#token=svc_inv_unknown' },
  account: { ready: 'td:has-text("This device")' },
  operator: { ready: 'td:has-text("database")', operator: true },
  operatorMoney: { ready: 'button:has-text("Set the plan")', operator: true },
  keys: { ready: 'h1:has-text("API keys")', params: ({ org }) => ({ org }) },
  members: { ready: 'td:has-text("owner")', params: ({ org }) => ({ org }) },
  audit: { ready: 'td:has-text("project.created")', params: ({ org }) => ({ org }) },
  settings: { ready: 'button:has-text("Save")', params: ({ org }) => ({ org }) },
  newProject: { ready: 'label:has-text("Nothing yet")', params: ({ org }) => ({ org }) },
  projects: { ready: 'li:has-text("Ready")', params: ({ org }) => ({ org }) },
  project: { ready: 'td:has-text("Ready")', params: ({ org, project }) => ({ org, project }) },
  deploy: {
    ready: '[role=log] #L1',
    params: ({ org, project, deploy }) => ({ org, project, deploy }),
  },
};
