import { PaidWorkService } from '../../src/modules/credits/paid-work.service.js';
import { MonthCloseRun } from '../../src/modules/billing/invoices/month-close-run.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, type CallOptions, useApp } from '../support/test-app.js';
import { Months } from './months.js';

const OPS = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS}` } };
const ABSENT = 'ivc_00000000000000000000000000';
const PATH = '/api/v1/billing/invoices';
const NANO = 1_000_000_000n;

const app = useApp({
  OPS_TOKEN: OPS,
  PLAN_CHANGES: 'free',
  SANDBOX_ENABLED: 'false',
  INVOICE_ISSUER: 'Hosting & Sons Ltd; 1 Example Street ;London',
});
const make = new Make(app);
let months: Months;
let ada: Person;
let key: string;

beforeAll(() => {
  months = new Months(app, make);
});
beforeEach(async () => {
  await months.begin();
  ada = await make.person();
  key = await make.key(ada);
});

const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const choose = async (plan: string, by = key): Promise<void> => {
  expectStatus(200, await app.post('/api/v1/billing/subscription', { plan }, as(by)));
};
const operate = (id: string, what: string, body: object, options: CallOptions = AS_OPERATOR): Promise<Answer> =>
  app.post(`/ops/billing/invoices/${id}/${what}`, body, options);
const sumOf = (lines: { amount: string }[]): bigint => lines.reduce((sum, { amount }) => sum + parseUsd(amount), 0n);
const ledgerOf = async (orgId: string): Promise<Record<string, bigint>> =>
  Object.fromEntries(
    (
      await make.sql<{ account: string; sum: string }>(
        `SELECT e.account, sum(e.amount_nano)::text AS sum FROM ledger_entries e
          JOIN ledger_transactions t ON t.key = e.transaction_key WHERE t.org_id = $1
          GROUP BY e.account`,
        [orgId],
      )
    ).map(({ account, sum }) => [account, BigInt(sum)]),
  );
/** A month on Builder, with nothing else: its invoice. */
const billed = async (by = key): Promise<any> => {
  await choose('builder', by);
  await months.close();
  return (await months.invoicesOf(by))[0];
};

describe('the monthly invoice', () => {
  it('has a line for each plan period and each meter and price, and rounds to whole cents', async () => {
    const { from, to } = months.period;
    const seconds = BigInt((to.getTime() - from.getTime()) / 1_000);
    const third = Number(seconds) / 3;
    months.at(Math.floor(third));
    await choose('builder');
    await months.use(ada.organization.id, { meter: 'ai_tokens', model: 'openai/gpt-mini:input', quantity: 1_234_567n });
    await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 5_000_001n });
    await months.use(ada.organization.id, { meter: 'database_storage', quantity: 10n ** 12n });
    await months.use(ada.organization.id, { meter: 'object_storage', quantity: 3n * 10n ** 12n + 7n });
    months.at(Math.floor(2 * third));
    await choose('pro');
    await months.close();

    const [listed, ...others] = await months.invoicesOf(key);
    expect(others).toEqual([]);
    expect(listed).toEqual({
      id: expect.stringMatching(/^ivc_[0-9a-z]{26}$/),
      number: expect.stringMatching(/^INV-\d{6}$/),
      org_id: ada.organization.id,
      state: 'finalized',
      period: { from: from.toISOString(), to: to.toISOString() },
      currency: 'USD',
      total: expect.stringMatching(/^\d+\.\d\d$/),
      finalized_at: expect.any(String),
      due_at: expect.any(String),
    });
    const invoice = await months.invoice(key, listed.id);
    expect(invoice).toMatchObject({
      ...listed,
      bill_to: { name: ada.organization.name, slug: ada.organization.slug },
      issuer: ['Hosting & Sons Ltd', '1 Example Street', 'London'],
      credit_notes: [],
      amount_due: listed.total,
    });

    const [one, two] = [BigInt(Math.floor(third)), BigInt(Math.floor(2 * third))];
    const exact = 49n * NANO * (two - one) + 299n * NANO * (seconds - two);
    const fees = invoice.lines.filter(({ kind }: any) => kind === 'base_fee');
    expect(fees.map(({ plan, quantity, unit }: any) => [plan, quantity, unit])).toEqual([
      ['builder', String(two - one), 's'],
      ['pro', String(seconds - two), 's'],
    ]);
    expect(sumOf(fees)).toBe(exact / seconds);

    const usage = invoice.lines.filter(({ kind }: any) => kind === 'usage');
    const rolledUp = await make.sql<{ meter: string; cost: string }>(
      'SELECT meter, cost_nano::text AS cost FROM usage_months WHERE org_id = $1 ORDER BY meter',
      [ada.organization.id],
    );
    expect(usage.map(({ meter, amount }: any) => [meter, parseUsd(amount)]).sort()).toEqual(
      rolledUp.map(({ meter, cost }) => [meter, BigInt(cost)]),
    );
    expect(usage).toHaveLength(4);
    expect(usage.find(({ meter }: any) => meter === 'sandbox_compute')).toMatchObject({
      quantity: '5000001',
      unit: 'ms',
      price: '0.1',
      price_per: 'hour',
      price_version: 'sandbox-compute-1',
    });

    expect(sumOf(invoice.lines)).toBe(parseUsd(invoice.total));
    const rounding = sumOf(invoice.lines.filter(({ kind }: any) => kind === 'rounding'));
    expect(rounding > -5_000_000n && rounding <= 5_000_000n).toBe(true);
    const ledger = await ledgerOf(ada.organization.id);
    expect(ledger['invoiced']).toBe(parseUsd(invoice.total));
    expect(ledger['rounding'] ?? 0n).toBe(-rounding);
  });

  it('deducts paid credits, and does not charge usage above its hold', async () => {
    await choose('builder');
    const work = app.get(PaidWorkService);
    const at = months.at(100);
    const pay = async (name: string, held: bigint, used: bigint): Promise<void> => {
      const begun = await work.begin({
        orgId: ada.organization.id,
        plan: 'builder',
        meter: 'sandbox_compute',
        lines: [{ quantity: held }],
        key: `${ada.organization.id} ${name}`,
      });
      await work.end(begun, [
        {
          source: 'test',
          sourceId: `${ada.organization.id} ${name}`,
          orgId: ada.organization.id,
          meter: 'sandbox_compute',
          quantity: used,
          occurredAt: at,
        },
      ]);
    };
    // $5 of credits and $0.10 an hour.
    await pay('covered', 10n * 3_600_000n, 7n * 3_600_000n);
    await pay('partly', 60n * 3_600_000n, 50n * 3_600_000n);
    await pay('too long', 3_600_000n, 2n * 3_600_000n);
    await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 3_600_000n });
    await months.close();
    const invoice = await months.invoice(key, (await months.invoicesOf(key))[0].id);
    expect(invoice.lines.map(({ kind, amount }: any) => [kind, amount])).toEqual([
      ['base_fee', '49'],
      ['usage', '6'],
      ['credits', '-5'],
      ['not_charged', '-0.1'],
    ]);
    expect(invoice.total).toBe('49.90');
    const ledger = await ledgerOf(ada.organization.id);
    expect([
      ledger['invoiced'],
      ledger['usage_receivable'],
      ledger['credits'],
      ledger['platform_loss'],
      ledger['revenue'],
      ledger['promotion'],
    ]).toEqual([parseUsd('49.9'), 0n, 0n, parseUsd('0.1'), -parseUsd('55'), parseUsd('5')]);
  });

  it('is zero on Free with usage, and not created without usage', async () => {
    const idle = await make.key(await make.person());
    await months.use(ada.organization.id, { meter: 'object_storage', quantity: 10n ** 15n });
    await months.close();
    expect(await months.invoicesOf(idle)).toEqual([]);
    const [listed] = await months.invoicesOf(key);
    expect(listed).toMatchObject({ state: 'paid', total: '0.00', paid_at: listed.finalized_at });
    const { lines } = await months.invoice(key, listed.id);
    expect(lines.map(({ kind }: any) => kind)).toEqual(['usage', 'credits', 'not_charged']);
    expect(sumOf(lines)).toBe(0n);
  });

  it('bills late usage on the next invoice as an adjustment', async () => {
    await choose('builder');
    const late = months.at(3_600);
    await months.close();
    await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 7_200_000n, occurredAt: late });
    await months.close();
    const [second, first] = await months.invoicesOf(key);
    expect(
      [(await months.invoice(key, first.id)).lines, (await months.invoice(key, second.id)).lines].map((lines) =>
        lines.map(({ kind, amount }: any) => [kind, amount]),
      ),
    ).toEqual([
      [['base_fee', '49']],
      [
        ['base_fee', '49'],
        ['adjustment', '0.2'],
        ['credits', '-0.2'],
      ],
    ]);
    expect((await months.invoice(key, second.id)).lines[1].period).toEqual(first.period);
  });

  it('is created when the organization is deleted', async () => {
    const org = await make.org(ada);
    const inOrg = { headers: { 'x-service-org': org.id } };
    expectStatus(200, await app.post('/api/v1/billing/subscription', { plan: 'pro' }, as(key, inOrg)));
    months.at(86_400);
    expectStatus(200, await app.post('/api/v1/auth/session/confirm', { password: ada.password }, as(ada)));
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(ada)));
    const { from, to } = months.period;
    await months.close();
    const [invoice] = await make.sql('SELECT state, total_cents FROM invoices WHERE org_id = $1', [org.id]);
    const days = BigInt((to.getTime() - from.getTime()) / 86_400_000);
    expect(invoice).toEqual({ state: 'finalized', total_cents: String(((2n * 29_900n) / days + 1n) / 2n) });
  });

  it('is not created while roll-ups and events differ', async () => {
    await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 3_600_000n });
    await make.sql(
      `UPDATE usage_hours SET cost_nano = cost_nano + 1 WHERE usage_month_id IN (SELECT id
        FROM usage_months WHERE org_id = $1)`,
      [ada.organization.id],
    );
    expect(await months.close()).toMatchObject({ failed: 1 });
    expect(await months.invoicesOf(key)).toEqual([]);
    expect(
      app.log().some(({ msg, orgId }) => msg === 'A month could not be closed.' && orgId === ada.organization.id),
    ).toBe(true);
    await make.sql(
      `UPDATE usage_hours SET cost_nano = cost_nano - 1 WHERE usage_month_id IN (SELECT id
        FROM usage_months WHERE org_id = $1)`,
      [ada.organization.id],
    );
    expect(await months.close()).toMatchObject({ failed: 0 });
    expect(await months.invoicesOf(key)).toHaveLength(1);
  });

  it('is created for all other organizations when one fails', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const other = await make.key(await make.person());
        await choose('builder', other);
        return other;
      }),
    );
    // It has paid for more than it has used: nothing that can be put on an invoice.
    await make.sql(
      `
      INSERT INTO holds (key, org_id, meter, amount_nano, state, credit_nano, billed_nano, parts, month,
        begun_at, expires_at, ended_at, cost_nano, lost_nano, occurred_at)
      VALUES ('wrong', $1, 'sandbox_compute', 7, 'settled', 7, 0, '[]', date_trunc('month',
        $2::timestamptz)::date, $2, $2, $2, 7, 0, $2)`,
      [ada.organization.id, months.at(5)],
    );
    expect(await months.close()).toMatchObject({ failed: 1 });
    for (const other of others)
      expect(await months.invoicesOf(other)).toMatchObject([{ state: 'finalized', total: '49.00' }]);
    expect(await months.invoicesOf(key)).toEqual([]);
    expect(
      app
        .log()
        .filter(({ msg }) => msg === 'A month could not be closed.')
        .at(-1)?.['orgId'],
    ).toBe(ada.organization.id);
    await make.sql(`DELETE FROM holds WHERE key = 'wrong'`);
    expect(await app.get(MonthCloseRun).closeAllDue()).toEqual({ organizations: 1, failed: 0 });
  });

  it('is created once, with gapless numbers, under concurrent closings', async () => {
    await choose('builder');
    const others = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => {
        const other = await make.key(await make.person());
        await choose('pro', other);
        return other;
      }),
    );
    months.end();
    await Promise.all([1, 2, 3].map(() => app.get(MonthCloseRun).closeAllDue()));
    expect(await app.get(MonthCloseRun).closeAllDue()).toEqual({ organizations: 0, failed: 0 });
    for (const by of [key, ...others]) expect(await months.invoicesOf(by)).toHaveLength(1);
    const numbers = (
      await make.sql<{ number: string }>('SELECT number FROM invoices WHERE number IS NOT NULL ORDER BY number')
    ).map(({ number }) => Number(number));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe('a finalized invoice', () => {
  it('is immutable in the database, with its lines', async () => {
    const { id } = await billed();
    for (const statement of [
      `UPDATE invoices SET total_cents = 1 WHERE id = $1`,
      `UPDATE invoices SET number = 0 WHERE id = $1`,
      `UPDATE invoices SET state = 'draft', number = NULL WHERE id = $1`,
      `UPDATE invoices SET period_from = now() WHERE id = $1`,
      'DELETE FROM invoices WHERE id = $1',
      `UPDATE invoice_lines SET amount_nano = 0 WHERE invoice_id = $1`,
      'DELETE FROM invoice_lines WHERE invoice_id = $1',
      `INSERT INTO invoice_lines (invoice_id, position, kind, period_from, period_to, amount_nano)
        VALUES ($1, 99, 'credits', now(), now(), -1)`,
    ])
      await expect(make.sql(statement, [id])).rejects.toThrow(/never change|refused/);
    for (const table of ['invoices', 'invoice_lines', 'credit_notes', 'document_numbers'])
      await expect(make.sql(`TRUNCATE ${table} CASCADE`)).rejects.toThrow(/refused|never/);
  });

  it('is marked as paid once by an operator, and posted to the ledger', async () => {
    const { id, total } = await billed();
    const answer = await operate(id, 'paid', { payment: 'Transfer 7' });
    expect(answer.body).toEqual({
      id,
      number: expect.any(String),
      orgId: ada.organization.id,
      state: 'paid',
      totalUsd: total,
      dueUsd: '0.00',
      creditNotes: [],
    });
    expectStatus(200, await operate(id, 'paid', { payment: 'Transfer 8' }));
    expect(await months.invoice(key, id)).toMatchObject({ state: 'paid', amount_due: '0.00' });
    expect(await ledgerOf(ada.organization.id)).toMatchObject({ invoiced: 0n, cash: parseUsd(total) });
    expect(codeOf(await operate(id, 'void', { reason: 'x' }))).toEqual([409, 'invoice_closed']);
    await expect(
      make.sql(`UPDATE invoices SET state = 'finalized', paid_at = NULL, payment = NULL WHERE id = $1`, [id]),
    ).rejects.toThrow('never changes');
  });

  it('is corrected by numbered credit notes, up to its total', async () => {
    const { id } = await billed();
    const note = { amountUsd: '9.01', reason: 'We were down', key: 'ticket-1' };
    const [first] = await Promise.all([operate(id, 'credit-notes', note), operate(id, 'credit-notes', note)]);
    expect(first.body).toMatchObject({
      state: 'finalized',
      totalUsd: '49.00',
      dueUsd: '39.99',
      creditNotes: [expect.stringMatching(/^CN-\d{6}$/)],
    });
    const refused = await operate(id, 'credit-notes', { ...note, amountUsd: '40', key: 'ticket-2' });
    expect([...codeOf(refused), refused.body.error.details]).toEqual([409, 'credit_too_large', { left: '39.99' }]);
    expect((await operate(id, 'credit-notes', { ...note, amountUsd: '39.99', key: 'ticket-3' })).body).toMatchObject({
      state: 'paid',
      dueUsd: '0.00',
    });
    expect(await months.invoice(key, id)).toMatchObject({
      total: '49.00',
      credit_notes: [{ amount: '9.01', reason: 'We were down' }, { amount: '39.99' }],
    });
    expect(await ledgerOf(ada.organization.id)).toMatchObject({ invoiced: 0n, revenue: 0n });
    const numbers = (await make.sql<{ number: string }>('SELECT number FROM credit_notes ORDER BY number')).map(
      ({ number }) => Number(number),
    );
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    await expect(make.sql('UPDATE credit_notes SET amount_cents = 1 WHERE invoice_id = $1', [id])).rejects.toThrow(
      'refused',
    );
  });

  it('can be voided by an operator, and is then no longer due', async () => {
    const { id } = await billed();
    expect((await operate(id, 'void', { reason: 'A mistake' })).body).toMatchObject({ state: 'void', dueUsd: '0.00' });
    expectStatus(200, await operate(id, 'void', { reason: 'A mistake' }));
    expect(codeOf(await operate(id, 'paid', { payment: 'x' }))).toEqual([409, 'invoice_closed']);
    expect(codeOf(await operate(id, 'credit-notes', { amountUsd: '1', reason: 'x', key: 'x' }))).toEqual([
      409,
      'invoice_closed',
    ]);
    expect(await ledgerOf(ada.organization.id)).toMatchObject({ invoiced: 0n, revenue: 0n });
  });

  it('is overdue after two weeks, and can still be paid', async () => {
    const { id } = await billed();
    months.at(16 * 86_400);
    await app.runSchedule('overdue-invoices');
    expect((await months.invoice(key, id)).state).toBe('finalized');
    months.at(17.5 * 86_400);
    await app.runSchedule('overdue-invoices');
    expect((await months.invoice(key, id)).state).toBe('overdue');
    expect((await operate(id, 'paid', { payment: 'Late' })).body.state).toBe('paid');
  });

  it('requires billing:read and the role to read it', async () => {
    const { id } = await billed();
    const { data } = expectStatus(
      200,
      await app.post('/api/v1/auth/sign-in', { login: ada.user.username, password: ada.password }),
    ).body;
    const session = data.session_token as string;
    const narrow = await make.key({ sessionToken: session }, { scopes: ['projects:read'] });
    for (const path of [PATH, `${PATH}/${id}`, `${PATH}/${id}/page`]) {
      expect(codeOf(await app.fetch(path))).toEqual([401, 'missing_api_key']);
      expect((await app.fetch(path, as(session))).status).toBe(200);
      expect(codeOf(await app.fetch(path, as(narrow)))).toEqual([403, 'insufficient_scopes']);
    }
    const outsider = await make.key(await make.person());
    for (const path of ['', '/page']) {
      const [theirs, absent, nonsense] = [
        await app.fetch(`${PATH}/${id}${path}`, as(outsider)),
        await app.fetch(`${PATH}/${ABSENT}${path}`, as(outsider)),
        await app.fetch(`${PATH}/Nonsense!${path}`, as(outsider)),
      ];
      expect(codeOf(theirs)).toEqual([404, 'invoice_not_found']);
      for (const other of [absent, nonsense])
        expect(other.text.replace(/req_\w+/, '')).toBe(theirs.text.replace(/req_\w+/, ''));
    }
    expect(await months.invoicesOf(outsider)).toEqual([]);
    for (const [what, body] of [
      ['paid', {}],
      ['void', {}],
      ['credit-notes', { amountUsd: '0.001', reason: 'x', key: 'x' }],
      ['credit-notes', { amountUsd: '0', reason: 'x', key: 'x' }],
    ] as const) {
      expect(codeOf(await operate(id, what, body))).toEqual([400, 'invalid_request']);
    }
    for (const [what, body] of [
      ['paid', { payment: 'x' }],
      ['void', { reason: 'x' }],
      ['credit-notes', { amountUsd: '1', reason: 'x', key: 'x' }],
    ] as const) {
      expect(codeOf(await operate(id, what, body, {}))).toEqual([401, 'invalid_token']);
      expect(codeOf(await operate(ABSENT, what, body))).toEqual([404, 'invoice_not_found']);
      expect(codeOf(await operate('nonsense', what, body))).toEqual([404, 'invoice_not_found']);
    }
  });

  it('is available as HTML with escaped text', async () => {
    const org = await make.org(ada, { name: '<script>alert(1)</script> & "Söhne"' });
    const inOrg = { headers: { 'x-service-org': org.id } };
    expectStatus(200, await app.post('/api/v1/billing/subscription', { plan: 'builder' }, as(key, inOrg)));
    await months.close();
    const [{ id, number }] = (await app.fetch(PATH, as(key, inOrg))).body.data;
    expectStatus(
      200,
      await operate(id, 'credit-notes', { amountUsd: '1', reason: '<img src=x onerror=alert(1)>', key: 'x' }),
    );
    const page = await app.fetch(`${PATH}/${id}/page`, as(key));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).toContain(number);
    expect(page.text).toContain(
      '<address><strong>Hosting &amp; Sons Ltd</strong><br>1 Example Street<br>London</address>',
    );
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot;');
    expect(page.text).not.toMatch(/<script|<img/);
    expect(page.text).toContain('48.00');
  });
});

describe('the upcoming invoice', () => {
  const upcoming = async (by = key): Promise<any> =>
    expectStatus(200, await app.fetch(`${PATH}/upcoming`, as(by))).body.data;

  it('has the plan for the whole month and the usage so far, and ends as the invoice', async () => {
    const { from, to } = months.period;
    months.at(0);
    await choose('builder');
    const at = months.at(5_000);
    await months.use(ada.organization.id, { meter: 'sandbox_compute', quantity: 60n * 3_600_000n });
    await app.runSchedule('credits');
    const shown = await upcoming();
    expect(shown).toEqual({
      org_id: ada.organization.id,
      period: { from: from.toISOString(), to: to.toISOString() },
      as_of: at.toISOString(),
      currency: 'USD',
      total: '50.00',
      lines: [
        expect.objectContaining({ kind: 'base_fee', plan: 'builder', amount: '49' }),
        expect.objectContaining({
          kind: 'usage',
          meter: 'sandbox_compute',
          amount: '6',
          price: '0.1',
          price_per: 'hour',
        }),
        expect.objectContaining({ kind: 'credits', amount: '-5' }),
      ],
    });
    expect(await months.invoicesOf(key)).toEqual([]);

    await months.close();
    const [{ id }] = await months.invoicesOf(key);
    const { lines, total } = await months.invoice(key, id);
    expect({ lines, total }).toEqual({ lines: shown.lines, total: shown.total });
  });

  it('is empty for Free without usage, and hidden from other organizations', async () => {
    expect(await upcoming()).toMatchObject({ lines: [], total: '0.00' });
    expect(codeOf(await app.fetch(`${PATH}/upcoming`))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.fetch(`${PATH}/upcoming`, as(await make.key(ada, { scopes: ['projects:read'] }))))).toEqual(
      [403, 'insufficient_scopes'],
    );
    const outsider = await make.key(await make.person());
    expect(
      codeOf(await app.fetch(`${PATH}/upcoming`, as(outsider, { headers: { 'x-service-org': ada.organization.id } }))),
    ).toEqual([403, 'org_access_denied']);
  });
});
