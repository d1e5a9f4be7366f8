import { Config } from '../../platform/config/config.js';
import { readSettings } from '../../platform/config/settings.js';
import { HostingSettings } from './hosting.settings.js';

const load = (source: NodeJS.ProcessEnv): HostingSettings =>
  readSettings([HostingSettings], source).of(HostingSettings);
const credentials = (source: NodeJS.ProcessEnv): Config['blobCredentials'] =>
  readSettings([], source).of(Config).blobCredentials;

describe('HostingSettings', () => {
  it('follow the port of the API and the data directory where nothing is set', () => {
    const settings = load({ PORT: '8080', DATA_DIR: '/srv/data' });
    expect(settings.listenPort).toBe(8081);
    expect(settings.appsUrl).toEqual({ scheme: 'http:', domain: 'localhost', port: ':8081' });
    expect(settings.artifactsPlace).toEqual({ kind: 'file', directory: '/srv/data/artifacts' });
    expect(load({ PORT: '0' }).listenPort).toBe(0);
  });

  it('refuse one port for the API and for the hosts of deploys', () => {
    expect(() => load({ PORT: '8080', APPS_PORT: '8080' })).toThrow('APPS_PORT must be another port than PORT');
    expect(() => load({ PORT: '65535' })).toThrow('APPS_PORT must be set where PORT is 65535');
    expect(load({ PORT: '0', APPS_PORT: '0' }).listenPort).toBe(0);
  });

  it('tell what took the place of APPS_DOMAIN', () => {
    expect(() => load({ APPS_DOMAIN: 'apps.example.com' })).toThrow('APPS_DOMAIN was replaced by APPS_URL');
  });

  it('read a bucket, and sign for it with a whole key only', () => {
    const settings = load({ ARTIFACTS_URL: 's3://files/prefix?endpoint=http://127.0.0.1:9000' });
    expect(settings.artifactsPlace).toMatchObject({ kind: 's3', bucket: 'files', prefix: 'prefix/' });
    const pair = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(credentials(pair)).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'secret' });
    expect(credentials({ AWS_ACCESS_KEY_ID: 'id' })).toBeUndefined();
    expect(() => load({ ARTIFACTS_URL: 'ftp://files' })).toThrow('ARTIFACTS_URL must be file:');
  });
});
