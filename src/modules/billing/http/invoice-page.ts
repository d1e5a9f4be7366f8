import { createHash } from 'node:crypto';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { escapeHtml } from '../../../platform/text/escape-html.js';
import { invoiceQuantity, METER_TABLE } from '../../metering/meter.js';
import { formatCents } from '../domain/cents.js';
import { documentNumber } from '../invoices/document-number.js';
import type { CreditNote, Invoice, InvoiceLine, WholeInvoice } from '../invoices/invoices.service.js';
import { PLANS } from '../../plans/plan.js';

const STYLE = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:#18181b;
  background:#f4f4f5;margin:0;padding:2rem 1rem}
main{max-width:52rem;margin:0 auto;background:#fff;border:1px solid #e4e4e7;border-radius:8px;padding:3rem}
header{display:flex;justify-content:space-between;align-items:flex-start;gap:2rem;margin-bottom:2.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0;letter-spacing:-.02em}
h2{font-size:1rem;margin:2.25rem 0 .6rem}
address{font-style:normal;color:#52525b;font-size:.9rem;margin-left:auto;text-align:right;overflow-wrap:anywhere}
address strong{color:#18181b}
.number{color:#52525b;margin:.25rem 0 0}
.state{font-weight:600;font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;
  border:1.5px solid;border-radius:999px;padding:.2rem .9rem;white-space:nowrap}
.paid{color:#15803d}.finalized{color:#1d4ed8}.overdue{color:#b91c1c}.void{color:#71717a}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:1.25rem;margin:0 0 2.25rem}
dt{font-size:.78rem;color:#71717a;text-transform:uppercase;letter-spacing:.05em}
dd{margin:.15rem 0 0;font-weight:500;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th{font-size:.78rem;color:#71717a;text-transform:uppercase;letter-spacing:.05em;
  font-weight:500;text-align:left;padding:.4rem .5rem;border-bottom:1.5px solid #18181b}
td{padding:.65rem .5rem;border-bottom:1px solid #e4e4e7;vertical-align:top}
th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
.amount{text-align:right;white-space:nowrap}
.detail{display:block;color:#71717a;font-size:.85rem}
.small td{border-bottom:0;padding-top:.25rem;padding-bottom:.25rem;color:#52525b}
.total td{border-top:1.5px solid #18181b;border-bottom:0;font-weight:600;font-size:1.15rem;padding-top:.8rem}
footer{margin-top:2.5rem;color:#71717a;font-size:.85rem}
tr{break-inside:avoid}
@media screen and (max-width:40rem){
main{padding:1.25rem}
body{padding:.5rem}
.side{white-space:normal}
td,th{padding-left:.3rem;padding-right:.3rem;font-size:.85rem}
.total td{font-size:1rem}
}
@page{size:A4;margin:18mm}
@media print{
body{background:#fff;padding:0;font-size:11pt}
main{border:0;border-radius:0;padding:0;max-width:none}
h2{break-after:avoid}
}
`;

/** The page is text with a style. It loads and runs nothing and cannot be framed. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
export const INVOICE_PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const HOUR_MS = 3_600_000;

const STATE = {
  gathering: 'Not final',
  draft: 'Not final',
  finalized: 'To be paid',
  paid: 'Paid',
  overdue: 'Overdue',
  void: 'Void',
} as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Renders an invoice as a page to read and print. All text from users is escaped. */
export function invoicePage({ invoice, lines, creditNotes, dueCents }: WholeInvoice): string {
  const number = documentNumber('invoice', invoice.number!);
  const { name, slug } = invoice.billTo;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer"><title>Invoice ${number}</title><style>${STYLE}</style></head>
<body><main>
<header><div><h1>Invoice</h1><p class="number">${number}</p></div>${issuedBy(invoice.issuer)}
<span class="state ${invoice.state}">${STATE[invoice.state]}</span></header>
<dl>
${fact('Billed to', `${escapeHtml(name)}<span class="detail">${escapeHtml(slug)}</span>`)}
${fact('Period', `${MONTHS[invoice.periodFrom.getUTCMonth()]!} ${invoice.periodFrom.getUTCFullYear()}`)}
${fact('Date', day(invoice.finalizedAt!))}
${becameOf(invoice)}
</dl>
<table>
<thead><tr><th>Description</th><th class="amount">Quantity</th><th class="amount">Price</th>
<th class="amount">Amount in USD</th></tr></thead>
<tbody>
${lines.map(lineRow).join('\n')}
</tbody>
<tfoot>${totalRow(creditNotes.length > 0 ? 'Total' : 'Total, in USD', invoice.totalCents!)}</tfoot>
</table>
${creditNotes.length === 0 ? '' : corrections(creditNotes, dueCents)}
<footer>Amounts are exact to a billionth of a dollar, and rounded once, to whole cents. Times are in UTC.
${escapeHtml(invoice.id)}</footer>
</main></body>
</html>
`;
}

function lineRow(line: InvoiceLine): string {
  const { title, detail, quantity, price } = described(line);
  const small = line.kind === 'rounding' ? ' class="small"' : '';
  return (
    `<tr${small}><td>${escapeHtml(title)}<span class="detail">${escapeHtml(detail)}</span></td>` +
    `<td class="amount side">${escapeHtml(quantity)}</td>` +
    `<td class="amount side">${escapeHtml(price)}</td><td class="amount">${exact(line.amountNano)}</td></tr>`
  );
}

interface Described {
  readonly title: string;
  readonly detail: string;
  readonly quantity: string;
  readonly price: string;
}

function described(line: InvoiceLine): Described {
  const detail = `${time(line.periodFrom)} – ${time(line.periodTo)}`;
  const only = (title: string): Described => ({ title, detail: '', quantity: '', price: '' });
  switch (line.kind) {
    case 'base_fee':
      return { title: `Plan ${PLANS[line.plan!].name}`, detail, quantity: `${grouped(line.quantity!)} s`, price: '' };
    case 'usage':
    case 'adjustment': {
      const late = line.kind === 'adjustment' ? ', reported after its month was closed' : '';
      const price = line.priceNano === null ? '' : `${formatUsd(line.priceNano)} per ${line.pricedPer!}`;
      return {
        title: `${METER_TABLE[line.meter!].label}${line.model === null ? '' : `, ${line.model}`}${late}`,
        detail,
        quantity: measured(line),
        price,
      };
    }
    case 'credits':
      return only('Paid with credits');
    case 'not_charged':
      return only('Not charged: refunded, or beyond the amount held');
    case 'rounding':
      return only('Rounding to whole cents');
  }
}

function measured({ meter, quantity, periodFrom, periodTo }: InvoiceLine): string {
  return invoiceQuantity(meter!, quantity!, (periodTo.getTime() - periodFrom.getTime()) / HOUR_MS);
}

const corrections = (notes: readonly CreditNote[], dueCents: bigint): string => `<h2>Corrections</h2>
<table><tbody>
${notes.map(noteRow).join('\n')}
</tbody><tfoot><tr class="total"><td>To be paid, in USD</td>
<td class="amount">${formatCents(dueCents)}</td></tr></tfoot></table>`;

const noteRow = ({ number, reason, amountCents, createdAt }: CreditNote): string =>
  `<tr><td>${documentNumber('credit_note', number)}` +
  `<span class="detail">${escapeHtml(reason)}, ${day(createdAt)}</span></td>` +
  `<td class="amount">−${formatCents(amountCents)}</td></tr>`;

const totalRow = (title: string, cents: bigint): string =>
  `<tr class="total"><td colspan="3">${title}</td><td class="amount">${formatCents(cents)}</td></tr>`;

const issuedBy = ([name, ...others]: readonly string[]): string =>
  name === undefined
    ? ''
    : `<address>${[`<strong>${escapeHtml(name)}</strong>`, ...others.map(escapeHtml)].join('<br>')}</address>`;

function becameOf({ state, dueAt, paidAt, voidedAt }: Invoice): string {
  if (state === 'paid') return fact('Paid', day(paidAt!));
  return state === 'void' ? fact('Void since', day(voidedAt!)) : fact('To be paid until', day(dueAt!));
}

const fact = (name: string, html: string): string => `<div><dt>${name}</dt><dd>${html}</dd></div>`;

const day = (at: Date): string => `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]!} ${at.getUTCFullYear()}`;

/** The time is shown to the second, because plans are billed by the second. */
function time(at: Date): string {
  const clock = at.toISOString().slice(11, 19);
  const date = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]!.slice(0, 3)} ${at.getUTCFullYear()}`;
  return clock === '00:00:00' ? date : `${date}, ${clock}`;
}

/** Shows all nine decimal places, so that decimal points align in the column. */
function exact(nano: bigint): string {
  const [dollars = '', fraction = ''] = formatUsd(nano < 0n ? -nano : nano).split('.');
  return `${nano < 0n ? '−' : ''}${dollars}.${fraction.padEnd(9, '0')}`;
}

const grouped = (number: bigint): string => number.toLocaleString('en-US');
