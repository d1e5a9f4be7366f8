import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOwnSecret } from './own-secrets.js';

describe('a secret of our own', () => {
  let dataDir: string;
  const fileOf = (name: string): string => join(dataDir, 'secrets', name);

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'own-secrets-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is made once, is another for each purpose, and is for its owner alone', () => {
    const [pepper, key] = [openOwnSecret(dataDir, 'api-key-pepper'), openOwnSecret(dataDir, 'secrets-key')];
    expect([pepper.version, key.version]).toEqual([1, 1]);
    expect(pepper.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(key.secret).not.toBe(pepper.secret);
    expect([openOwnSecret(dataDir, 'api-key-pepper'), openOwnSecret(dataDir, 'secrets-key')]).toEqual([pepper, key]);
    expect(readFileSync(fileOf('secrets-key'), 'utf8')).toBe(`${key.secret}\n`);
    expect([statSync(join(dataDir, 'secrets')).mode & 0o777, statSync(fileOf('secrets-key')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('leaves the draft of another start alone, whatever the number of its process is', () => {
    mkdirSync(join(dataDir, 'secrets'));
    const draft = fileOf(`secrets-key.${process.pid}`);
    writeFileSync(draft, 'half of');
    expect(openOwnSecret(dataDir, 'secrets-key').secret).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(draft, 'utf8')).toBe('half of');
  });

  it('is never replaced when it cannot be read', () => {
    openOwnSecret(dataDir, 'secrets-key');
    writeFileSync(fileOf('secrets-key'), 'damaged');
    expect(() => openOwnSecret(dataDir, 'secrets-key')).toThrow(
      /secrets-key is not a secret that this service has written/,
    );
    expect(readFileSync(fileOf('secrets-key'), 'utf8')).toBe('damaged');
  });
});
