import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fill, type PathName, PATHS } from '../../web/src/paths.js';
import { inChromium } from '../support/browser.js';
import { ofThisTurn } from '../support/sampled.js';
import { connectApp } from './connected-app.js';
import { ResourceAnswers } from './resource-answers.js';
import { SCREENS_UNDER_TEST, type World } from './screens.js';
import {
  calledModels,
  deployedSite,
  finalizedInvoice,
  leaveBrowser,
  LOOKS,
  reportedUsage,
  SCREENSHOTS,
  Visit,
  workingAgents,
} from './support.js';

jest.setTimeout(300_000);

describe('the screens of the web app', () => {
  let preparing: ReturnType<typeof prepare> | undefined;

  /** Once for all screens, and not at all without a browser. */
  const prepared = (): ReturnType<typeof prepare> => (preparing ??= prepare());

  afterAll(leaveBrowser);

  it('are all tested', () => {
    expect(Object.keys(SCREENS_UNDER_TEST).sort()).toEqual(Object.keys(PATHS).sort());
  });

  describe.each(ofThisTurn(Object.keys(PATHS) as PathName[]))('%s', (name) => {
    inChromium('is accessible and keeps to the policy, light, dark and on a phone', async () => {
      const { params, after = '', ready, signedOut = false, operator = false } = SCREENS_UNDER_TEST[name];
      const { world, signedIn, visitor, operating } = await prepared();
      const visit = signedOut ? visitor : operator ? await operating() : signedIn;
      const { page, faults } = visit;
      faults.length = 0;
      await page.setViewportSize({ width: LOOKS[0].width, height: 860 });
      await page.emulateMedia({ colorScheme: LOOKS[0].colorScheme });
      await visit.open(fill(PATHS[name], params?.(world) ?? {}) + after);
      await page.locator(ready).first().waitFor();

      for (const { name: look, colorScheme, width, rules } of LOOKS) {
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme });
        if (SCREENSHOTS !== undefined) {
          mkdirSync(SCREENSHOTS, { recursive: true });
          await page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`) });
        }
        expect({ look, axe: await visit.axe(rules) }).toEqual({ look, axe: [] });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect({ look, overflow }).toEqual({ look, overflow: 0 });
      }
      expect(faults).toEqual([]);
    });
  });
});

interface Prepared {
  readonly world: World;
  readonly signedIn: Visit;
  readonly visitor: Visit;
  /** Only the screens of operators need one. */
  readonly operating: () => Promise<Visit>;
}

async function prepare(): Promise<Prepared> {
  const [signedIn, visitor] = await Promise.all([Visit.begin(), Visit.begin()]);
  const org = await signedIn.signUp();
  const { org_id: orgId } = await signedIn.call('GET', 'billing/subscription');
  const { id: invoice } = await finalizedInvoice(signedIn);
  const site = await deployedSite(signedIn);
  await reportedUsage(signedIn, site.project);
  // Clusters and files behind them are tested elsewhere; here they would only be slow.
  await new ResourceAnswers(site.project).answer(signedIn.page);
  const generation = await calledModels(signedIn, site.project);
  const { id: repository } = await signedIn.call('POST', 'repositories', { name: 'storefront', template: 'nextjs' });
  const endpoints = `orgs/${org}/webhook-endpoints`;
  const { id: endpoint } = await signedIn.call('POST', endpoints, { url: 'https://hooks.example.com/service' });
  await signedIn.call('POST', `${endpoints}/${endpoint}/test`);
  const agents = await workingAgents(signedIn, org);
  await connectApp(signedIn, 'Desk assistant');
  await signedIn.call('POST', 'sandbox/executions', { language: 'python', code: 'print(1 + 2)' });
  const { id: session } = await signedIn.call('POST', 'sandbox/sessions', {
    language: 'python',
    name: 'Analysis of stars',
    idle_timeout_seconds: 3_600,
  });
  await signedIn.call('PUT', `sandbox/sessions/${session}/files/content?path=stars.csv`, Buffer.from('Sirius,6'));
  let operator: Promise<Visit> | undefined;
  return {
    world: { org, orgId, invoice, repository, endpoint, generation, session, ...site, ...agents },
    signedIn,
    visitor,
    operating: () => (operator ??= Visit.asOperator()),
  };
}
