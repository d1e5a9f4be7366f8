import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, TestApp } from './test-app.js';

const KEY = 'sk_test_a_secret_key_of_the_fake';
const WEBHOOK_SECRET = 'whsec_a_webhook_secret_of_the_fake';

type Fields = Record<string, string>;
interface StripeObject {
  readonly id: string;
  readonly object: string;
  [field: string]: any;
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: StripeObject };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

const refuse = (status: number, code: string): never => {
  throw Object.assign(new Error(code), { status, code });
};

/**
 * A fake of the parts of Stripe that the service uses: customers, checkouts, subscriptions and invoices with their
 * states, idempotency keys, and signed events.
 */
export class FakeStripe {
  readonly requests: { readonly method: string; readonly path: string; readonly fields: Fields }[] = [];
  /** Events, oldest first; {@link deliver} sends them. */
  readonly events: StripeEvent[] = [];
  /** Number of requests that are answered with 500 first. */
  failures = 0;
  private readonly objects = new Map<string, StripeObject>();
  private readonly items = new Map<string, { amount: number; description: string }[]>();
  private readonly kept = new Map<string, { request: string; answer: StripeObject }>();
  private server!: Server;

  get settings(): Record<string, string> {
    return {
      STRIPE_SECRET_KEY: KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
    };
  }

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.answer(request, response);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  all(object: string): StripeObject[] {
    return [...this.objects.values()].filter((each) => each.object === object);
  }

  itemsOf(invoiceId: string): readonly { amount: number; description: string }[] {
    return this.items.get(invoiceId) ?? [];
  }

  /** Simulates a user who enters a card. */
  completeCheckout(url: string): StripeObject {
    const session = this.get(url.slice(url.lastIndexOf('/') + 1));
    const subscription = this.add('sub', 'subscription', { customer: session['customer'], status: 'active' });
    Object.assign(session, { status: 'complete', subscription: subscription.id });
    this.happened('customer.subscription.created', subscription);
    this.happened('checkout.session.completed', session);
    return subscription;
  }

  endSubscription(id: string): void {
    this.happened('customer.subscription.deleted', Object.assign(this.get(id), { status: 'canceled' }));
  }

  payInvoice(id: string): void {
    const invoice = this.get(id);
    if (invoice['status'] !== 'open') throw new Error(`The invoice is ${invoice['status'] as string}.`);
    this.happened('invoice.paid', Object.assign(invoice, { status: 'paid' }));
  }

  /** Delivers an event in the way Stripe does. */
  deliver(app: TestApp, event: StripeEvent, { secret = WEBHOOK_SECRET, at = Date.now() } = {}): Promise<Answer> {
    const body = JSON.stringify({
      object: 'event',
      api_version: null,
      created: Math.floor(at / 1_000),
      livemode: false,
      ...event,
    });
    const time = Math.floor(at / 1_000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return app.call('POST', '/webhooks/stripe', {
      body,
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` },
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe');
    const text = Buffer.concat(chunks).toString();
    const fields = Object.fromEntries(request.method === 'GET' ? searchParams : new URLSearchParams(text));
    this.requests.push({ method: request.method!, path: pathname, fields });
    const reply = (status: number, body: object): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${this.requests.length}` })
        .end(JSON.stringify(body));
    };
    try {
      if (request.headers.authorization !== `Bearer ${KEY}`) refuse(401, 'invalid_api_key');
      if (this.failures > 0) {
        this.failures--;
        refuse(500, 'api_error');
      }
      reply(
        200,
        this.once(request, `${pathname} ${text}`, () =>
          this.perform(request.method!, pathname.slice('/v1/'.length), fields),
        ),
      );
    } catch (error) {
      const { status = 500, code = 'api_error', message } = error as Partial<Refusal> & Error;
      reply(status, { error: { type: status === 500 ? 'api_error' : 'invalid_request_error', code, message } });
    }
  }

  /** A repeated key returns the same response, and is refused for a different request. */
  private once({ headers }: IncomingMessage, request: string, perform: () => StripeObject): StripeObject {
    const key = headers['idempotency-key'];
    if (typeof key !== 'string') return perform();
    const known = this.kept.get(key);
    if (known !== undefined) return known.request === request ? known.answer : refuse(400, 'idempotency_error');
    const answer = structuredClone(perform());
    this.kept.set(key, { request, answer });
    return answer;
  }

  private perform(method: string, path: string, fields: Fields): StripeObject {
    const [resource = '', id = '', action = ''] = path.split('/');
    switch (`${method} ${resource}${id === '' ? '' : '/:id'}${action === '' ? '' : `/${action}`}`) {
      case 'POST customers':
        return this.add('cus', 'customer', { email: fields['email'], name: fields['name'] });
      case 'POST checkout/:id':
        return this.newSession(fields);
      case 'POST billing_portal/:id':
        return {
          id: 'bps_1',
          object: 'billing_portal.session',
          url: `https://stripe.test/portal/${this.get(fields['customer']!).id}`,
        };
      case 'GET checkout/:id/':
      case 'GET checkout/:id':
        return refuse(404, 'resource_missing');
      case 'POST invoices':
        return this.newInvoice(fields);
      case 'POST invoiceitems':
        return this.newItem(fields);
      case 'POST invoices/:id/finalize':
        return this.finalize(id);
      case 'POST invoices/:id/void':
        return this.become(id, 'void');
      case 'POST invoices/:id/pay':
        return fields['paid_out_of_band'] === 'true' ? this.become(id, 'paid') : refuse(402, 'card_declined');
      case 'POST credit_notes':
        return this.newCreditNote(fields);
      case 'GET credit_notes':
        return {
          id: '',
          object: 'list',
          has_more: false,
          data: this.all('credit_note').filter(({ invoice }) => invoice === fields['invoice']),
        };
      case 'GET invoices/:id':
      case 'GET subscriptions/:id':
        return this.get(id);
      default:
        return resource === 'checkout' && method === 'GET' ? this.get(action) : refuse(404, 'unknown_route');
    }
  }

  private newSession(fields: Fields): StripeObject {
    if (fields['mode'] !== 'subscription' || fields['line_items[0][price_data][unit_amount]'] !== '0')
      return refuse(400, 'parameter_invalid');
    this.get(fields['customer']!);
    const session = this.add('cs', 'checkout.session', {
      customer: fields['customer'],
      status: 'open',
      subscription: null,
      metadata: { org_id: fields['metadata[org_id]'], plan: fields['metadata[plan]'] },
    });
    return Object.assign(session, { url: `https://stripe.test/pay/${session.id}` });
  }

  private newInvoice(fields: Fields): StripeObject {
    this.get(fields['customer']!);
    return this.add('in', 'invoice', {
      customer: fields['customer'],
      status: 'draft',
      total: 0,
      amount_due: 0,
      metadata: { invoice_id: fields['metadata[invoice_id]'], number: fields['metadata[number]'] },
    });
  }

  private newItem(fields: Fields): StripeObject {
    const invoice = this.get(fields['invoice']!);
    if (invoice['status'] !== 'draft' || !/^-?\d+$/.test(fields['amount']!)) return refuse(400, 'invoice_not_editable');
    const item = { amount: Number(fields['amount']), description: fields['description']! };
    this.items.set(invoice.id, [...this.itemsOf(invoice.id), item]);
    invoice['total'] += item.amount;
    return this.add('ii', 'invoiceitem', item);
  }

  private finalize(id: string): StripeObject {
    const invoice = this.get(id);
    if (invoice['status'] !== 'draft') return refuse(400, 'invoice_not_editable');
    return Object.assign(invoice, { status: 'open', amount_due: invoice['total'] as number });
  }

  private become(id: string, status: 'void' | 'paid'): StripeObject {
    const invoice = this.get(id);
    if (invoice['status'] !== 'open') return refuse(400, 'invoice_not_editable');
    Object.assign(invoice, { status });
    if (status === 'paid') this.happened('invoice.paid', invoice);
    return invoice;
  }

  private newCreditNote(fields: Fields): StripeObject {
    const invoice = this.get(fields['invoice']!);
    invoice['amount_due'] -= Number(fields['amount']);
    if (invoice['amount_due'] < 0) return refuse(400, 'credit_note_too_large');
    if (invoice['amount_due'] === 0) invoice['status'] = 'paid';
    return this.add('cn', 'credit_note', {
      invoice: invoice.id,
      amount: Number(fields['amount']),
      memo: fields['memo'],
      metadata: { credit_note_id: fields['metadata[credit_note_id]'] },
    });
  }

  private get(id: string): StripeObject {
    return this.objects.get(id) ?? refuse(404, 'resource_missing');
  }

  private add(prefix: string, object: string, fields: Fields | Record<string, unknown>): StripeObject {
    const created = { id: `${prefix}_${randomBytes(12).toString('hex')}`, object, ...fields };
    this.objects.set(created.id, created);
    return created;
  }

  private happened(type: string, object: StripeObject): void {
    this.events.push({ id: `evt_${randomBytes(12).toString('hex')}`, type, data: { object: structuredClone(object) } });
  }
}
