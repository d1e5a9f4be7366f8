import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting, UrlSetting } from '../../platform/config/setting.js';

/** This service as a provider knows it. */
interface ClientSettings {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface GithubSignInSettings extends ClientSettings {
  /** Without a trailing slash, as `apiUrl`. */
  readonly url: string;
  readonly apiUrl: string;
}

export interface GoogleSignInSettings extends ClientSettings {
  readonly issuer: string;
}

const PAIRS = [
  ['SIGN_IN_GITHUB_CLIENT_ID', 'SIGN_IN_GITHUB_CLIENT_SECRET'],
  ['SIGN_IN_GOOGLE_CLIENT_ID', 'SIGN_IN_GOOGLE_CLIENT_SECRET'],
] as const;

export class IdentitiesSettings extends ModuleSettings {
  @TextSetting({
    name: 'SIGN_IN_GITHUB_CLIENT_ID',
    summary: 'Client id of the OAuth app at GitHub that people sign in through. Set this and its secret, or neither.',
    unset: 'nobody can sign in with GitHub',
    see: 'access.md#sign-in-with-github-and-google',
    example: 'Ov23liabcdefghijklmn',
    maxLength: 255,
  })
  private readonly githubClientId?: string;

  @TextSetting({
    name: 'SIGN_IN_GITHUB_CLIENT_SECRET',
    summary: 'Client secret of that app.',
    example: 'client-secret-of-the-app',
    maxLength: 255,
  })
  private readonly githubClientSecret?: string;

  @UrlSetting({
    name: 'SIGN_IN_GITHUB_URL',
    summary: 'URL of GitHub for sign-in. Change it for GitHub Enterprise before the first person signs in.',
  })
  private readonly githubUrl: string = 'https://github.com';

  @UrlSetting({ name: 'SIGN_IN_GITHUB_API_URL', summary: 'URL of the API of that GitHub.' })
  private readonly githubApiUrl: string = 'https://api.github.com';

  @TextSetting({
    name: 'SIGN_IN_GOOGLE_CLIENT_ID',
    summary: 'Client id at Google that people sign in through. Set this and its secret, or neither.',
    unset: 'nobody can sign in with Google',
    see: 'access.md#sign-in-with-github-and-google',
    example: '1234567890-abc.apps.googleusercontent.com',
    maxLength: 255,
  })
  private readonly googleClientId?: string;

  @TextSetting({
    name: 'SIGN_IN_GOOGLE_CLIENT_SECRET',
    summary: 'Client secret of that client.',
    example: 'GOCSPX-secret-of-the-client',
    maxLength: 255,
  })
  private readonly googleClientSecret?: string;

  @UrlSetting({
    name: 'SIGN_IN_GOOGLE_ISSUER',
    summary: 'Issuer of the identities of Google. Change it for tests only.',
  })
  private readonly googleIssuer: string = 'https://accounts.google.com';

  /** Undefined while sign-in with GitHub is not configured. */
  get github(): GithubSignInSettings | undefined {
    if (this.githubClientId === undefined) return undefined;
    return {
      clientId: this.githubClientId,
      clientSecret: this.githubClientSecret!,
      url: this.githubUrl,
      apiUrl: this.githubApiUrl,
    };
  }

  /** Undefined while sign-in with Google is not configured. */
  get google(): GoogleSignInSettings | undefined {
    if (this.googleClientId === undefined) return undefined;
    return { clientId: this.googleClientId, clientSecret: this.googleClientSecret!, issuer: this.googleIssuer };
  }

  /** Half a configuration would lead people to a provider that does not lead them back. */
  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    return PAIRS.flatMap(([id, secret]) => {
      if ((environment[id] === undefined) === (environment[secret] === undefined)) return [];
      const [missing, given] = environment[id] === undefined ? [id, secret] : [secret, id];
      return [`${missing} must be set if ${given} is`];
    });
  }
}
