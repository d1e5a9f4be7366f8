import { findResource } from './resource-templates.js';

describe('addresses of resources', () => {
  it.each([
    ['service://docs/webhooks', 'read_page', 'webhooks'],
    ['service://docs/operations/slo', 'read_page', 'operations/slo'],
    ['service://errors/insufficient_scopes', 'explain_error', 'insufficient_scopes'],
    ['service://projects/shop', 'get_project', 'shop'],
    ['service://deploys/dpl_1/log', 'get_deploy_logs', 'dpl_1'],
    ['service://databases/db_1/schema', 'describe_schema', 'db_1'],
  ])('%s is what %s returns', (uri, tool, value) => {
    expect(findResource(uri)).toMatchObject({ template: { tool }, value });
  });

  it.each([
    'service://docs/../api/v1/keys',
    'service://docs/%2e%2e/api/v1/keys',
    'service://docs//etc',
    'service://projects/shop/env',
    'service://projects/shop?x=1',
    'service://projects/shop%2Fenv',
    'service://deploys/dpl_1/logs',
    'service://databases/db_1/schema#',
    'https://docs/webhooks',
    'service://keys/key_1',
    'service://errors/a\nb',
    'service://errors/a\n',
  ])('%j is none', (uri) => {
    expect(findResource(uri)).toBeUndefined();
  });
});
