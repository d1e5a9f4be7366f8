import { Config } from './config.js';
import { ModuleSettings } from './module-settings.js';
import { BooleanSetting, IntegerSetting, TextSetting } from './setting.js';
import { readSettings } from './settings.js';

class LampSettings extends ModuleSettings {
  @BooleanSetting({ name: 'LAMP_ON', summary: 'Whether it is on.' })
  readonly isOn: boolean = true;

  @IntegerSetting({ name: 'LAMP_WATTS', summary: 'What it uses.', unit: 'W', min: 1, max: 60 })
  readonly watts: number = 40;

  @TextSetting({ name: 'LAMP_TOKEN', summary: 'Who may switch it.', minLength: 16 })
  readonly token: string | undefined = undefined;

  get place(): string {
    return `${this.config.publicUrl}/lamp`;
  }

  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    return environment['LAMP_OIL'] === undefined ? [] : ['LAMP_OIL was replaced by LAMP_WATTS'];
  }
}

class OtherLampSettings extends ModuleSettings {
  @TextSetting({ name: 'LAMP_TOKEN', summary: 'Another token.' })
  readonly token: string = '';
}

const load = (source: NodeJS.ProcessEnv): Config => readSettings([], source).of(Config);

const faultsOf = (source: NodeJS.ProcessEnv): string => {
  try {
    readSettings([LampSettings], source);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('readSettings', () => {
  it('names every invalid variable at once and shows no value, which may be a secret', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      PORT: '99999',
      TRUST_PROXY: 'all',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'nowhere',
      API_KEY_PEPPER: 'salt',
      MAILER: 'smtp',
      LAMP_TOKEN: 'short',
      LAMP_WATTS: '61',
      LAMP_ON: 'perhaps',
      LAMP_OIL: 'whale',
    });
    expect(faults.split('\n')).toEqual([
      'Bad configuration:',
      '  PORT must not be greater than 65535',
      '  PUBLIC_URL must be a URL address',
      '  TRUST_PROXY must be a number of hops or a list of CIDRs, never "all"',
      '  DATABASE_URL must start with postgres:// or postgresql://',
      '  LOG_LEVEL must be one of the following values: fatal, error, warn, info, debug, trace, silent',
      '  API_KEY_PEPPER must be a secret of at least 32 characters, without commas, or a list 2:<new>,1:<old> of them',
      '  LAMP_ON must be a boolean value',
      '  LAMP_WATTS must not be greater than 60',
      '  LAMP_TOKEN must be longer than or equal to 16 characters',
      '  SECRETS_KEY must be set where DATABASE_URL is',
      '  SMTP_URL must be set for MAILER=smtp',
      '  LAMP_OIL was replaced by LAMP_WATTS',
    ]);
    expect(faults).not.toMatch(/hunter2|short|99999|loud|nowhere|perhaps|salt|whale/);
  });

  it('reads the settings of a module, which may depend on those of the platform', () => {
    const read = readSettings([LampSettings], { LAMP_ON: '0', LAMP_WATTS: '7', PORT: '8080' });
    expect(read.of(LampSettings)).toMatchObject({ isOn: false, watts: 7, token: undefined });
    expect(read.of(LampSettings).place).toBe('http://127.0.0.1:8080/lamp');
    expect(readSettings([LampSettings], {}).of(LampSettings)).toMatchObject({ isOn: true, watts: 40 });
    expect(faultsOf({ LAMP_WATTS: '4.5' })).toContain('LAMP_WATTS');
  });

  it('refuses two settings with the same name, even when unset', () => {
    expect(() => readSettings([LampSettings, OtherLampSettings], {})).toThrow(
      'These settings are declared twice: LAMP_TOKEN',
    );
  });

  it('offers only classes that were read', () => {
    expect(() => readSettings([LampSettings], {}).of(OtherLampSettings)).toThrow('OtherLampSettings');
  });
});

describe('Config', () => {
  it('works with nothing set, and treats an empty variable as unset', () => {
    const config = load({});
    expect([config.role, config.port, config.host, config.databaseUrl, config.trustProxy]).toEqual([
      'all',
      3000,
      '127.0.0.1',
      undefined,
      0,
    ]);
    expect([config.publicUrl, config.docsUrl]).toEqual(['http://127.0.0.1:3000', 'http://127.0.0.1:3000/docs']);
    expect(load({ PORT: '', TRUST_PROXY: '', ROLE: '', DATABASE_URL: '' })).toEqual(config);
  });

  it('requires server addresses for the roles that share servers', () => {
    expect(faultsOf({ ROLE: 'api' })).toMatch(/DATABASE_URL[^]*REDIS_URL[^]*API_KEY_PEPPER[^]*SECRETS_KEY/);
    expect(faultsOf({ ROLE: 'worker', DATABASE_URL: 'postgres://db/x' })).toMatch(/REDIS_URL/);
    expect(faultsOf({ ROLE: 'migrate', DATABASE_URL: 'postgres://db/x' })).toBe('');
  });

  it('leads past a pooler by DATABASE_DIRECT_URL, which needs DATABASE_URL', () => {
    const [pooled, direct] = ['postgres://pool/x', 'postgres://db/x'];
    const read = (source: NodeJS.ProcessEnv): Config => load({ ROLE: 'migrate', DATABASE_URL: pooled, ...source });
    expect(read({ DATABASE_DIRECT_URL: direct }).directDatabaseUrl).toBe(direct);
    expect(read({}).directDatabaseUrl).toBe(pooled);
    expect(faultsOf({ DATABASE_DIRECT_URL: direct })).toContain('DATABASE_DIRECT_URL needs DATABASE_URL');
  });

  it('requires the secrets of a database that is not its own', () => {
    const servers = { DATABASE_URL: 'postgres://db/x', REDIS_URL: 'redis://redis' };
    for (const role of ['all', 'api', 'worker'])
      expect(faultsOf({ ...servers, ROLE: role })).toMatch(/API_KEY_PEPPER[^]*SECRETS_KEY/);
    expect(faultsOf({ ...servers, ROLE: 'seed' })).toBe('');
    expect(faultsOf({ ...servers, API_KEY_PEPPER: 'x'.repeat(32), SECRETS_KEY: 'y'.repeat(32) })).toBe('');
    expect(faultsOf({ ...servers, API_KEY_PEPPER: 'x'.repeat(32) })).not.toContain('API_KEY_PEPPER');
  });

  it('reads peppers, and keys for secrets, with the newest first, and refuses a short or an ambiguous list', () => {
    const [one, two] = ['a'.repeat(32), 'b'.repeat(40)];
    expect(load({ API_KEY_PEPPER: one }).apiKeyPeppers).toEqual([{ version: 1, secret: one }]);
    expect(load({ API_KEY_PEPPER: `2:${two}, 1:${one}` }).apiKeyPeppers).toEqual([
      { version: 2, secret: two },
      { version: 1, secret: one },
    ]);
    for (const bad of ['short', `2:${one},2:${two}`, `${one},${two}`, `0:${one}`, `1:${one},`])
      expect(faultsOf({ API_KEY_PEPPER: bad })).toContain('API_KEY_PEPPER');
    expect(load({ SECRETS_KEY: `2:${two}, 1:${one}` }).secretsKeys).toEqual([
      { version: 2, secret: two },
      { version: 1, secret: one },
    ]);
    expect(faultsOf({ SECRETS_KEY: 'short' })).toMatch(/^Bad configuration:\n {2}SECRETS_KEY must be/);
  });

  it('requires a mail server for MAILER=smtp', () => {
    expect(faultsOf({ MAILER: 'smtp' })).toContain('SMTP_URL');
    expect(faultsOf({ MAILER: 'smtp', SMTP_URL: 'smtp://user:secret@mail:587' })).toBe('');
  });

  it.each(['all', 'true', '0.0.0.0/0', '::/0', '-1', '99', '10.0.0.0/8, everyone'])('refuses to trust %s', (value) => {
    expect(faultsOf({ TRUST_PROXY: value })).toContain('TRUST_PROXY');
  });

  it.each([
    ['0', 0],
    ['1', 1],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('trusts %s', (value, expected) => {
    expect(load({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
  });

  it('derives a public URL that callers can open', () => {
    expect(load({ HOST: '0.0.0.0', PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(load({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000');
    expect(load({ PUBLIC_URL: 'https://api.example.org/' }).publicUrl).toBe('https://api.example.org');
  });
});
