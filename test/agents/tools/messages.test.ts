import { createHmac } from 'node:crypto';
import type { ToolOutcome } from '../../../src/modules/agents/agent-tool.js';
import { HttpPeer } from '../../support/http-peer.js';
import { mailsOf } from '../../support/mailbox.js';
import { Make, type Org, type Person } from '../../support/make.js';
import { useApp, WITH_SANDBOX } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe('the tools for messages and reports', () => {
  const environment: NodeJS.ProcessEnv = { ...WITH_SANDBOX };
  const peer = new HttpPeer();
  beforeAll(async () => {
    await peer.listen();
    environment['AGENT_TRUSTED_HOSTS'] = peer.host;
  });
  const app = useApp(environment);
  const make = new Make(app);
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { name: 'Acme', plan: 'builder' });
    caller = new ToolCaller(app, org, person);
    await verify(person);
  });
  beforeEach(() => {
    peer.seen.length = 0;
    peer.handlers.clear();
  });
  afterAll(() => {
    peer.close();
  });
  const verify = ({ user }: Person): Promise<unknown> =>
    make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id]);

  describe('send_webhook', () => {
    const message = { type: 'report.finished', data: { lines: [1, 2] } };
    const sent = (options: ToolCallOptions = {}, input: object = message): Promise<ToolOutcome> => {
      const settings = { url: peer.at('/hook'), secret_name: 'HOOK' };
      return caller.call('send_webhook', input, { settings, secrets: { HOOK: SECRET }, ...options });
    };

    it('sends a message that is signed, with the key of the effect as its id', async () => {
      expect(await sent({ effect: 'one' })).toEqual({ kind: 'succeeded', output: { status: 200 } });
      expect(await sent({ effect: 'one' })).toMatchObject({ kind: 'succeeded' });
      const [first, second] = peer.seen;
      const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = first!.headers;
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(second!.headers['webhook-id']).toBe(id);
      const content = `${String(id)}.${String(seconds)}.${first!.body}`;
      const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64');
      expect(signature).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
      expect(JSON.parse(first!.body)).toEqual({
        id,
        ...message,
        org_id: org.id,
        agent_id: 'agt_test',
        run_id: 'run_test',
      });
      expect((await caller.tools('send_webhook'))[0]).toMatchObject({
        effect: 'keyed',
        isOutward: true,
        taints: false,
      });
    });

    it('is sent again with the same id when the receiver fails, and no more than three times', async () => {
      let times = 0;
      peer.handlers.set('/hook', (response) => {
        response.writeHead(++times === 1 ? 503 : 200).end();
      });
      expect(await sent()).toMatchObject({ kind: 'succeeded' });
      expect(new Set(peer.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(times).toBe(2);
      peer.handlers.set('/hook', (response) => {
        times++;
        response.writeHead(404).end();
      });
      expect(await sent()).toMatchObject({ kind: 'failed', code: 'webhook_failed' });
      expect(times).toBe(3);
      peer.handlers.set('/hook', (response) => {
        response.writeHead(302, { location: '/elsewhere' }).end();
      });
      expect(await sent()).toMatchObject({ kind: 'failed', code: 'webhook_failed' });
      expect(peer.seen.filter(({ path }) => path === '/elsewhere')).toEqual([]);
    });

    it('is not sent with a secret that is missing or is none, or with too much data', async () => {
      expect(await sent({ secrets: {} })).toMatchObject({ code: 'secret_missing' });
      expect(await sent({ secrets: { HOOK: 'abc' } })).toMatchObject({ code: 'secret_invalid' });
      const large = { type: 'a', data: { text: 'x'.repeat(70_000) } };
      expect(await sent({}, large)).toMatchObject({ code: 'data_too_large' });
      expect(await sent({ settings: { url: 'https://127.0.0.1/' } })).toMatchObject({ code: 'refused_url' });
      expect(peer.seen).toEqual([]);
    });

    it('has settings that are checked', () => {
      const codes = (settings: object): string[] =>
        caller.faults('send_webhook', settings as Record<string, unknown>).map(({ path }) => path);
      expect(codes({ url: 'https://hooks.example.com/x' })).toEqual([]);
      expect(codes({ url: 'http://hooks.example.com/x', secret_name: 'lower', more: 1 })).toEqual([
        'tools[0].settings.more',
        'tools[0].settings.url',
        'tools[0].settings.secret_name',
      ]);
    });
  });

  describe('send_mail', () => {
    const mail = (to: string, more: object = {}, options: ToolCallOptions = {}): Promise<ToolOutcome> =>
      caller.call('send_mail', { to, subject: 'Daily report', text: 'All is well.', ...more }, options);
    const received = ({ user }: Person): string[] =>
      mailsOf(app)
        .filter(({ to, subject }) => to === user.email && subject.startsWith('[Agent]'))
        .map(({ subject, text }) => `${subject}\n${text}`);

    it('reaches the starter and other members, and says who wrote it', async () => {
      const member = await make.person();
      await make.member(org, member, 'viewer');
      await verify(member);
      expect(await mail('starter')).toEqual({ kind: 'succeeded', output: { sent_to: person.user.username } });
      expect(await mail(member.user.username.toUpperCase())).toMatchObject({ kind: 'succeeded' });
      for (const each of [person, member]) {
        expect(received(each)).toHaveLength(1);
        expect(received(each)[0]).toContain('[Agent] Daily report\nAll is well.');
        expect(received(each)[0]).toContain(
          'Written by the agent agt_test of the organization "Acme", in the run run_test.',
        );
      }
      expect((await caller.tools('send_mail'))[0]).toMatchObject({ effect: 'once', isOutward: true });
    });

    it('reaches nobody else', async () => {
      const outsider = await make.person();
      await verify(outsider);
      const unverified = await make.person();
      await make.member(org, unverified, 'member');
      expect(await mail(outsider.user.username)).toMatchObject({ code: 'member_not_found' });
      expect(await mail(outsider.user.email)).toMatchObject({ code: 'member_not_found' });
      expect(await mail(unverified.user.username)).toMatchObject({ code: 'email_not_verified' });
      expect(await mail('starter', { subject: 'a\r\nBcc: x@example.org' })).toMatchObject({ code: 'subject_invalid' });
      expect(await mail('starter', { text: 'ü'.repeat(20_000) })).toMatchObject({ code: 'text_too_long' });
      expect([...received(outsider), ...received(unverified)]).toEqual([]);
    });

    it('is limited to 20 a day for an agent', async () => {
      const run = { agentId: 'agt_busy' };
      const outcomes: string[] = [];
      for (let time = 0; time < 22; time++) {
        const outcome = await mail('starter', {}, { run });
        outcomes.push(outcome.kind === 'failed' ? outcome.code : outcome.kind);
      }
      expect(outcomes.filter((each) => each === 'succeeded')).toHaveLength(20);
      expect(outcomes.at(-1)).toBe('mail_limit_reached');
      expect(await mail('starter', {}, { run: { agentId: 'agt_other' } })).toMatchObject({ kind: 'succeeded' });
    });
  });

  describe('usage_summary', () => {
    it('sums up what was used and what it cost', async () => {
      const empty = await caller.output('usage_summary', { period: 'yesterday' });
      expect(empty).toMatchObject({ cost: '0', usage: [], truncated: false });
      const { cost } = await caller.output('run_code', { language: 'javascript', code: '1' });
      for (const period of ['today', 'month'])
        expect(await caller.output('usage_summary', { period, by_day: true })).toMatchObject({
          cost,
          usage: [{ meter: 'sandbox_compute', cost, day: new Date().toISOString().slice(0, 10) }],
        });
      const without = caller.call('usage_summary', { period: 'month' }, { scopes: ['ai:invoke'] });
      await expect(without).rejects.toMatchObject({ code: 'insufficient_scopes' });
    });
  });
});
