import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { HostingSettings } from '../../hosting/hosting.settings.js';
import type { SandboxSettings } from '../sandbox.settings.js';
import { RunNetworks } from './run-networks.js';

const OWNER = { execution_id: 'exe_1' };

class Resisting extends RunNetworks {
  override remove(): Promise<void> {
    return Promise.reject(new Error('EMFILE: too many open files'));
  }
}

describe('the network of a program', () => {
  const directory = mkdtempSync(join(tmpdir(), 'run-networks-'));
  const settings = { egressDirectory: directory } as unknown as SandboxSettings;
  const hosting = { appsNetworkRefused: [] } as unknown as HostingSettings;

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('leaves no directory', async () => {
    const network = await new RunNetworks(settings, hosting).open(OWNER, ['api.example.com']);
    expect(existsSync(network.directory)).toBe(true);
    await network.close();
    expect(existsSync(network.directory)).toBe(false);
  });

  it('does not fail what has run when its directory cannot be removed, and says so in the log', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const network = await new Resisting(settings, hosting).open(OWNER, ['api.example.com']);
    await network.close();
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ ...OWNER, error: expect.stringMatching(/EMFILE/) }));
    warn.mockRestore();
  });
});
