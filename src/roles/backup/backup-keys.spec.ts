import { BackupKeys, type Encryption } from './backup-keys.js';

const PASSPHRASE = 'correct horse battery staple';

describe('BackupKeys', () => {
  let keys: BackupKeys;
  beforeAll(async () => {
    keys = await BackupKeys.create(PASSPHRASE);
  });

  it('are derived again from the passphrase and the manifest', async () => {
    const opened = await BackupKeys.open(PASSPHRASE, JSON.parse(JSON.stringify(keys.encryption)) as Encryption);
    const salt = Buffer.alloc(32, 1);
    expect(opened.fileKey('artifacts.tar', salt).equals(keys.fileKey('artifacts.tar', salt))).toBe(true);
    expect(opened.isMacOf('text', keys.macOf('text'))).toBe(true);
    expect(JSON.stringify(keys.encryption)).not.toContain(PASSPHRASE);
  });

  it('accept the passphrase in any Unicode normalization', async () => {
    const { encryption } = await BackupKeys.create('caf\u00e9 au lait!');
    await expect(BackupKeys.open('cafe\u0301 au lait!', encryption)).resolves.toBeInstanceOf(BackupKeys);
  });

  it('are refused with another passphrase, by name and not by value', async () => {
    await expect(BackupKeys.open('incorrect horse battery', keys.encryption)).rejects.toThrow(
      /^BACKUP_PASSPHRASE is not the passphrase that the backup was encrypted with\. Nothing was restored\.$/,
    );
  });

  it('differ for each backup, each file and each time a file is written', async () => {
    const other = await BackupKeys.create(PASSPHRASE);
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const all = [keys.fileKey('a', one), keys.fileKey('a', two), keys.fileKey('b', one), other.fileKey('a', one)].map(
      (key) => key.toString('hex'),
    );
    expect(new Set(all).size).toBe(4);
    expect(keys.isMacOf('text', other.macOf('text'))).toBe(false);
    expect([undefined, '', 'zz', keys.macOf('another text')].some((mac) => keys.isMacOf('text', mac))).toBe(false);
  });

  it('refuse a forged manifest with more memory or weaker parameters', async () => {
    const { encryption } = keys;
    const kdf = (change: object): object => ({ ...encryption, kdf: { ...encryption.kdf, ...change } });
    const asked = [
      {},
      { ...encryption, format: 'none' },
      { ...encryption, keyCheck: 'short' },
      { ...encryption, kdf: null },
      kdf({ name: 'pbkdf2' }),
      kdf({ n: 2 ** 30 }),
      kdf({ n: 2 ** 10 }),
      kdf({ n: 100_000 }),
      kdf({ n: '131072' }),
      kdf({ r: 1_000 }),
      kdf({ p: 1_000 }),
      kdf({ salt: '' }),
    ];
    for (const each of asked)
      await expect(BackupKeys.open(PASSPHRASE, each as Encryption)).rejects.toThrow('does not know');
  });
});
