import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { rsaCertificate } from './rsa-certificate.js';
import { type Page, SamlBrowser } from './saml-browser.js';
import { makeScratchDirectory, removeScratchDirectory } from './scratch-directory.js';
import { eventually } from './test-app.js';

const PHP = '/usr/bin/php';
/** Where Debian's package `simplesamlphp` has its pages. */
const PAGES = '/usr/share/simplesamlphp/www';
const INSTALL = 'apt-get install --no-install-recommends simplesamlphp php-cli php-xml';
const START_WITHIN_MS = 20_000;
const LOG_LINES = 40;

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

export interface SamlUser {
  readonly username: string;
  readonly password: string;
  /** `uid` is the NameID where the service asks for no format, and `mail` where it asks for an address. */
  readonly attributes: {
    readonly uid: string;
    readonly mail: string;
    readonly displayName: string;
    readonly groups: readonly string[];
  };
}

interface TrustedService {
  readonly entityId: string;
  readonly acsUrl: string;
  /** In PEM. With it the provider requires each request to be signed by its key. */
  readonly certificate?: string;
}

type Credentials = Pick<SamlUser, 'username' | 'password'>;

/** What the form of the provider sends to the service. */
export interface SamlAnswer {
  readonly acsUrl: string;
  readonly SAMLResponse: string;
  readonly RelayState?: string;
}

/** SimpleSAMLphp as an identity provider of SAML, on a port of its own and with a configuration of its own. */
export class SimpleSamlPhp {
  private readonly users = new Map<string, SamlUser>();
  private readonly services = new Map<string, TrustedService>();
  private child: ChildProcess | undefined;
  /** Empty until it starts. */
  private directory = '';
  private origin = '';
  private output = '';

  static isInstalled(): boolean {
    return existsSync(PHP) && existsSync(PAGES);
  }

  get entityId(): string {
    return this.metadataUrl;
  }

  get metadataUrl(): string {
    return `${this.origin}/saml2/idp/metadata.php`;
  }

  get ssoUrl(): string {
    return `${this.origin}/saml2/idp/SSOService.php`;
  }

  /** Leads to an answer that the service has not asked for. */
  unsolicitedUrl(entityId: string): string {
    return `${this.ssoUrl}?${new URLSearchParams({ spentityid: entityId }).toString()}`;
  }

  async start(): Promise<void> {
    if (!SimpleSamlPhp.isInstalled()) throw new Error(`SimpleSAMLphp is missing. Run: ${INSTALL}`);
    this.directory = makeScratchDirectory();
    const port = await freePort();
    this.origin = `http://127.0.0.1:${port}`;
    await this.configure();
    this.child = spawn(
      PHP,
      // What PHP and the pages log goes to standard error; the path tells whose process this is.
      ['-d', 'log_errors=1', '-d', `sys_temp_dir=${this.directory}`, '-S', `127.0.0.1:${port}`, '-t', PAGES],
      { env: { SIMPLESAMLPHP_CONFIG_DIR: this.directory }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    await this.answers();
  }

  async stop(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    if (this.directory !== '') removeScratchDirectory(this.directory);
  }

  /** Adds a user, or replaces the one of this name. */
  setUser(user: SamlUser): void {
    this.users.set(user.username, user);
    if (this.directory !== '') this.writeUsers();
  }

  /** Answers this service from now on, or with these settings from now on. */
  trust(service: TrustedService): void {
    this.services.set(service.entityId, service);
    if (this.directory !== '') this.writeServices();
  }

  async metadata(): Promise<string> {
    const response = await fetch(this.metadataUrl);
    if (!response.ok) throw this.failure(`The metadata answer ${response.status}`);
    return response.text();
  }

  /** Signs in with a fresh browser. `location` is where the service leads it. @throws {Error} without an answer. */
  async signIn(location: string, credentials: Credentials): Promise<SamlAnswer> {
    const page = await this.visit(location, credentials);
    const answer = answerOf(page);
    if (answer === undefined) throw this.failure(`No answer, but a page: ${textOf(page)}`);
    return answer;
  }

  /** Returns the text of the page that the provider shows instead of an answer. @throws {Error} when it answers. */
  async refusal(location: string, credentials: Credentials): Promise<string> {
    const page = await this.visit(location, credentials);
    const answer = answerOf(page);
    if (answer !== undefined) throw this.failure(`An answer to ${answer.acsUrl}`);
    return textOf(page);
  }

  private async visit(location: string, { username, password }: Credentials): Promise<Page> {
    const browser = new SamlBrowser(this.origin);
    const page = await browser.open(location);
    return page.form?.fields['AuthState'] === undefined ? page : browser.submit(page.form, { username, password });
  }

  private async configure(): Promise<void> {
    const { key, certificate } = await rsaCertificate('SimpleSAMLphp in a test');
    writeFileSync(join(this.directory, 'provider.key'), key, { mode: 0o600 });
    writeFileSync(join(this.directory, 'provider.crt'), certificate);
    mkdirSync(join(this.directory, 'sessions'));
    this.write('config', 'config', {
      baseurlpath: `${this.origin}/`,
      certdir: this.directory,
      datadir: this.directory,
      loggingdir: this.directory,
      metadatadir: this.directory,
      tempdir: join(this.directory, 'temporary'),
      secretsalt: randomBytes(16).toString('hex'),
      'auth.adminpassword': randomBytes(16).toString('hex'),
      'admin.checkforupdates': false,
      timezone: 'UTC',
      'enable.saml20-idp': true,
      'module.enable': { core: true, exampleauth: true, saml: true },
      'logging.handler': 'errorlog',
      'logging.format': '%level %msg',
      'session.cookie.secure': false,
      'session.phpsession.savepath': join(this.directory, 'sessions'),
      'store.type': 'phpsession',
    });
    this.write('saml20-idp-hosted', 'metadata', {
      [this.entityId]: {
        host: '__DEFAULT__',
        auth: 'users',
        privatekey: 'provider.key',
        certificate: 'provider.crt',
        'signature.algorithm': RSA_SHA256,
        authproc: {
          1: { class: 'saml:AttributeNameID', attribute: 'uid', Format: UNSPECIFIED },
          2: { class: 'saml:AttributeNameID', attribute: 'mail', Format: EMAIL_ADDRESS },
          3: { class: 'saml:PersistentNameID', attribute: 'uid' },
        },
      },
    });
    this.writeUsers();
    this.writeServices();
  }

  private writeUsers(): void {
    const users = [...this.users.values()].map(
      ({ username, password, attributes }) => [`${username}:${password}`, attributes] as const,
    );
    this.write('authsources', 'config', { users: { 0: 'exampleauth:UserPass', ...Object.fromEntries(users) } });
  }

  private writeServices(): void {
    const services = [...this.services.values()].map(({ entityId, acsUrl, certificate }) => [
      entityId,
      {
        AssertionConsumerService: [{ index: 0, isDefault: true, Binding: POST_BINDING, Location: acsUrl }],
        NameIDFormat: UNSPECIFIED,
        ...(certificate === undefined
          ? {}
          : { certData: certificate.replace(/-----[^-]+-----|\s/g, ''), 'validate.authnrequest': true }),
      },
    ]);
    this.write('saml20-sp-remote', 'metadata', Object.fromEntries(services));
  }

  /** PHP reads the JSON at each request, so that a change counts from the next one on. */
  private write(name: string, variable: 'config' | 'metadata', value: object): void {
    writeFileSync(join(this.directory, `${name}.json`), JSON.stringify(value));
    writeFileSync(
      join(this.directory, `${name}.php`),
      `<?php\n$${variable} = json_decode(file_get_contents(__DIR__ . '/${name}.json'), true);\n`,
    );
  }

  private async answers(): Promise<void> {
    await eventually(
      async () => {
        if (this.child?.exitCode != null) throw this.failure('PHP has ended');
        // The port is not open at first.
        const response = await fetch(this.metadataUrl).catch(() => undefined);
        if (response !== undefined && !response.ok) throw this.failure(`The metadata answer ${response.status}`);
        return response !== undefined;
      },
      'SimpleSAMLphp answers',
      START_WITHIN_MS,
    );
  }

  private failure(what: string): Error {
    return new Error(`${what}\n${this.output.split('\n').slice(-LOG_LINES).join('\n')}`);
  }
}

function answerOf({ form }: Page): SamlAnswer | undefined {
  const { SAMLResponse, RelayState } = form?.fields ?? {};
  if (form === undefined || SAMLResponse === undefined) return undefined;
  return { acsUrl: form.action, SAMLResponse, ...(RelayState === undefined ? {} : { RelayState }) };
}

const textOf = ({ html }: Page): string =>
  html
    .replace(/<(script|style|head)\b.*?<\/\1>/gis, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Runs a test with the real provider. Without it the test is skipped, unless CI requires it (`REQUIRE_SAML_IDP=1`). */
export const withSimpleSamlPhp = SimpleSamlPhp.isInstalled() || process.env['REQUIRE_SAML_IDP'] === '1' ? it : it.skip;
