import type { Config } from '../../../platform/config/config.js';
import { ENCRYPTION_OVERHEAD_BYTES } from '../../../platform/secrets/key-ring.js';
import { EnvVault } from './env-vault.js';

const OLD = { version: 1, secret: 'an older secret of the operator' };
const NEW = { version: 7, secret: 'a newer secret of the operator' };
const vaultOf = (...secretsKeys: Config['secretsKeys']): EnvVault => new EnvVault({ secretsKeys } as Config);
const PLACE = { projectId: 'prj_1', target: 'production', name: 'TOKEN' } as const;

describe('a value in the vault', () => {
  it('opens where it was put, and nowhere else', () => {
    const vault = vaultOf(OLD);
    const sealed = vault.seal('sésame', PLACE);
    expect(sealed.length).toBe(Buffer.byteLength('sésame') + ENCRYPTION_OVERHEAD_BYTES);
    expect(vault.open(sealed, PLACE)).toBe('sésame');
    for (const other of [{ projectId: 'prj_2' }, { target: 'preview' as const }, { name: 'TOKEN2' }]) {
      expect(() => vault.open(sealed, { ...PLACE, ...other })).toThrow();
    }
  });

  it('still opens after the key was changed, while the old one is known', () => {
    const sealed = vaultOf(OLD).seal('sésame', PLACE);
    expect(vaultOf(NEW, OLD).open(sealed, PLACE)).toBe('sésame');
    expect(() => vaultOf(NEW).open(sealed, PLACE)).toThrow('version 1 of SECRETS_KEY');
    expect(() => vaultOf(OLD).open(vaultOf(NEW, OLD).seal('new', PLACE), PLACE)).toThrow('version 7 of SECRETS_KEY');
    expect(() => vaultOf().seal('x', PLACE)).toThrow('no SECRETS_KEY');
  });
});
